package dev.holdfast.crash.nodes;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.Map;

/**
 * A purse. A gift is three turns: it leaves the giver and is pending there; it reaches the taker,
 * which remembers it; it is no longer pending. A gift that was interrupted is delivered again, and
 * a taker that knows it takes nothing.
 */
final class PurseObject implements Purse {

  /** What each purse has at first. */
  static final long OPENING = 1_000;

  private static final String BALANCE = "balance";
  private static final String PENDING = "pending-";
  private static final String TAKEN = "taken-";
  private static final String GIVEN = "given-";

  private final ObjectStorage storage;
  private final ObjectNamespace<Purse> purses;

  PurseObject(ObjectContext context) {
    this.storage = context.storage();
    this.purses = context.namespace(CrashNode.PURSES, Purse.class);
  }

  @Override
  public void give(String id, String taker, long amount) {
    if (storage.get(GIVEN + id, Boolean.class).isEmpty() && balance() >= amount) {
      storage.put(GIVEN + id, true);
      storage.put(BALANCE, balance() - amount);
      storage.put(PENDING + id, taker + " " + amount);
      deliver(id, taker, amount);
    }
  }

  private void deliver(String id, String taker, long amount) {
    purses.getByName(taker).take(id, amount);
    storage.delete(PENDING + id);
  }

  @Override
  public void take(String id, long amount) {
    if (storage.get(TAKEN + id, Boolean.class).isEmpty()) {
      storage.put(TAKEN + id, true);
      storage.put(BALANCE, balance() + amount);
    }
  }

  @Override
  public long settle() {
    for (Map.Entry<String, String> each : pending().entrySet()) {
      String[] words = each.getValue().split(" ", -1);
      deliver(each.getKey().substring(PENDING.length()), words[0], Long.parseLong(words[1]));
    }
    return pending().size();
  }

  private Map<String, String> pending() {
    return storage.list(ListOptions.ALL.withPrefix(PENDING), String.class);
  }

  @Override
  public long balance() {
    return storage.get(BALANCE, Long.class).orElse(OPENING);
  }

  @Override
  public boolean hasTaken(String id) {
    return storage.get(TAKEN + id, Boolean.class).isPresent();
  }

  @Override
  public long worth() {
    long worth = balance();
    for (Map.Entry<String, String> each : pending().entrySet()) {
      String[] words = each.getValue().split(" ", -1);
      boolean hasCome =
          purses.getByName(words[0]).hasTaken(each.getKey().substring(PENDING.length()));
      worth += hasCome ? 0 : Long.parseLong(words[1]);
    }
    return worth;
  }
}
