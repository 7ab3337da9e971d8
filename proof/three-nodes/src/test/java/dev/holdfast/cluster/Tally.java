package dev.holdfast.cluster;

import dev.holdfast.ObjectContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/** The object of tests of clients: it counts, keeps an order, and can hold a call. */
public interface Tally {

  /** Adds one to the count, and returns it. */
  long add();

  /** Returns the count. */
  long count();

  /** Appends a number, and returns all. */
  List<Integer> append(int number);

  /** Adds one when the test says so. */
  long hold() throws InterruptedException;

  /** Fails. */
  void fail();

  /** Keeps the count in its storage. */
  record TallyObject(ObjectContext context, Gate gate) implements Tally {

    @Override
    public long add() {
      long count = count() + 1;
      context.storage().put("count", count);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }

    @Override
    public List<Integer> append(int number) {
      List<Integer> all = new ArrayList<>();
      context.storage().get("all", int[].class).ifPresent(kept -> addAll(kept, all));
      all.add(number);
      context.storage().put("all", all.stream().mapToInt(Integer::intValue).toArray());
      return all;
    }

    private static void addAll(int[] kept, List<Integer> target) {
      for (int each : kept) {
        target.add(each);
      }
    }

    @Override
    public long hold() throws InterruptedException {
      gate.held().release();
      gate.free().acquire();
      return add();
    }

    @Override
    public void fail() {
      throw new IllegalStateException("as asked");
    }
  }

  /**
   * Holds calls.
   *
   * @param held has a permit for each call that has come
   * @param free gives a permit to each that may go on
   */
  record Gate(Semaphore held, Semaphore free) {

    Gate() {
      this(new Semaphore(0), new Semaphore(0));
    }
  }
}
