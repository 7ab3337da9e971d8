package dev.holdfast.cluster.shard;

import dev.holdfast.Consistency;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The objects of a simulated shard, whose promises can be checked. */
final class SimulatedObjects {

  static final String FIGURES = "figures";
  static final String DIARIES = "diaries";
  static final String PURSES = "purses";

  /** What each purse has at first. */
  static final long OPENING = 100;

  private SimulatedObjects() {}

  /** A number. */
  public interface Figure {

    /** Returns it. */
    long read();

    /** Adds to it, and returns the sum. */
    long add(long more);

    /** Returns 1 if it was as expected, and is now another. */
    long compareAndSet(long expected, long value);
  }

  /** Texts, each of which has its place. */
  public interface Diary {

    /** Appends a text. */
    void append(String text);

    /** Returns all texts. */
    List<String> all();
  }

  /** Money, of which each part is on its way at most once. */
  public interface Purse {

    /** Gives some to another purse, once for an id. */
    void give(String id, String taker, long amount);

    /** Takes some, once for an id. */
    void take(String id, long amount);

    /** Sends what is under way again. */
    void settle();

    /** Returns what it has. */
    long balance();
  }

  static void register(ObjectRegistrar objects) {
    register(objects, Consistency.LINEARIZABLE);
  }

  static void register(ObjectRegistrar objects, Consistency ofFigures) {
    NamespaceOptions options = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ofDays(1));
    objects.namespace(FIGURES, Figure.class, FigureObject::new, options.withConsistency(ofFigures));
    objects.namespace(DIARIES, Diary.class, DiaryObject::new, options);
    objects.namespace(PURSES, Purse.class, PurseObject::new, options);
  }

  private record FigureObject(ObjectContext context) implements Figure {

    @Override
    public long read() {
      return context.storage().get("value", Long.class).orElse(0L);
    }

    @Override
    public long add(long more) {
      long sum = read() + more;
      context.storage().put("value", sum);
      return sum;
    }

    @Override
    public long compareAndSet(long expected, long value) {
      if (read() != expected) {
        return 0;
      }
      context.storage().put("value", value);
      return 1;
    }
  }

  private record DiaryObject(ObjectContext context) implements Diary {

    @Override
    public void append(String text) {
      long next = context.storage().get("count", Long.class).orElse(0L);
      context.storage().put("text-%06d".formatted(next), text);
      context.storage().put("count", next + 1);
    }

    @Override
    public List<String> all() {
      return new ArrayList<>(
          context.storage().list(ListOptions.ALL.withPrefix("text-"), String.class).values());
    }
  }

  private static final class PurseObject implements Purse {

    private static final String PENDING = "pending-";

    private final ObjectStorage storage;
    private final ObjectNamespace<Purse> purses;

    PurseObject(ObjectContext context) {
      this.storage = context.storage();
      this.purses = context.namespace(PURSES, Purse.class);
    }

    @Override
    public void give(String id, String taker, long amount) {
      if (storage.get("given-" + id, Boolean.class).isEmpty() && balance() >= amount) {
        storage.put("given-" + id, true);
        storage.put("balance", balance() - amount);
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
      if (storage.get("taken-" + id, Boolean.class).isEmpty()) {
        storage.put("taken-" + id, true);
        storage.put("balance", balance() + amount);
      }
    }

    @Override
    public void settle() {
      Map<String, String> pending = storage.list(ListOptions.ALL.withPrefix(PENDING), String.class);
      pending.forEach(
          (key, value) -> {
            String[] words = value.split(" ", -1);
            deliver(key.substring(PENDING.length()), words[0], Long.parseLong(words[1]));
          });
    }

    @Override
    public long balance() {
      return storage.get("balance", Long.class).orElse(OPENING);
    }
  }
}
