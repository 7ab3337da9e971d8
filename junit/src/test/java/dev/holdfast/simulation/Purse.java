package dev.holdfast.simulation;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.Map;
import java.util.function.Supplier;

/** A purse that gives coins to others. */
interface Purse {

  void fill(int coins);

  int coins();

  /** Gives coins to another purse; false if there are too few. */
  boolean give(String other, String transfer, int coins);

  void take(String transfer, int coins);

  /** Ends transfers that a crash has cut off. */
  void settle();

  /** Right: a transfer is noted in the turn that takes the coins out, and arrives once. */
  class Careful implements Purse {

    final ObjectContext context;
    final ObjectStorage storage;
    private final Supplier<ObjectNamespace<Purse>> purses;

    Careful(ObjectContext context, Supplier<ObjectNamespace<Purse>> purses) {
      this.context = context;
      this.storage = context.storage();
      this.purses = purses;
    }

    private record Transfer(String other, int coins) {}

    @Override
    public void fill(int coins) {
      storage.put("coins", coins);
    }

    @Override
    public int coins() {
      return storage.get("coins", Integer.class).orElse(0);
    }

    @Override
    public boolean give(String other, String transfer, int coins) {
      if (coins() < coins) {
        return false;
      }
      fill(coins() - coins);
      storage.put("transfer:" + transfer, new Transfer(other, coins));
      deliver(other, transfer, coins);
      return true;
    }

    final void deliver(String other, String transfer, int coins) {
      context.await(
          purses
              .get()
              .stub(other)
              .async(
                  purse -> {
                    purse.take(transfer, coins);
                    return true;
                  }));
      storage.delete("transfer:" + transfer);
    }

    @Override
    public void take(String transfer, int coins) {
      if (storage.get("taken:" + transfer, Boolean.class).isEmpty()) {
        storage.put("taken:" + transfer, true);
        fill(coins() + coins);
      }
    }

    @Override
    public void settle() {
      for (Map.Entry<String, Transfer> each :
          storage.list(ListOptions.ALL.withPrefix("transfer:"), Transfer.class).entrySet()) {
        String transfer = each.getKey().substring("transfer:".length());
        deliver(each.getValue().other(), transfer, each.getValue().coins());
      }
    }
  }

  /** Reads its coins before it waits, and writes them after: an update in between is lost. */
  final class Forgetful extends Careful {

    Forgetful(ObjectContext context, Supplier<ObjectNamespace<Purse>> purses) {
      super(context, purses);
    }

    @Override
    public boolean give(String other, String transfer, int coins) {
      int before = coins();
      if (before < coins) {
        return false;
      }
      deliver(other, transfer, coins);
      fill(before - coins);
      return true;
    }
  }

  /** The same with a plain call, of a purse that answers at once. */
  final class Blocking extends Careful {

    private final Supplier<ObjectNamespace<Purse>> others;

    Blocking(ObjectContext context, Supplier<ObjectNamespace<Purse>> purses) {
      super(context, purses);
      this.others = purses;
    }

    @Override
    public boolean give(String other, String transfer, int coins) {
      int before = coins();
      if (before < coins) {
        return false;
      }
      others.get().getByName(other).take(transfer, coins);
      fill(before - coins);
      return true;
    }
  }

  /** Does not note the transfer: a crash between the two purses loses the coins. */
  final class Hasty extends Careful {

    Hasty(ObjectContext context, Supplier<ObjectNamespace<Purse>> purses) {
      super(context, purses);
    }

    @Override
    public boolean give(String other, String transfer, int coins) {
      if (coins() < coins) {
        return false;
      }
      fill(coins() - coins);
      storage.sync();
      deliver(other, transfer, coins);
      return true;
    }
  }
}
