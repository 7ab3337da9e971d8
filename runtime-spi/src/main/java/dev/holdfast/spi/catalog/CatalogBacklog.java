package dev.holdfast.spi.catalog;

import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Changes of the catalog that are in the journal and not in the catalog's own files: most of them
 * because they are not durable yet, and a view must not run ahead of the journal. Thread-safe.
 */
public final class CatalogBacklog {

  /**
   * A change that waits.
   *
   * @param position the position of its batch
   * @param key the object
   * @param change what changes
   */
  public record Waiting(long position, ObjectKey key, CatalogChange change) {}

  private static final long NONE = Long.MAX_VALUE;

  private static final Comparator<Waiting> BY_POSITION =
      Comparator.comparingLong(Waiting::position);

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock. Batches of different objects may arrive out of order; a change that comes
  // later than others with higher positions is about an object of its own. Put in order when they
  // are taken: turns that add one wait for each other here.
  private List<Waiting> waiting = new ArrayList<>();
  private long waitingFrom = NONE;
  private long takenFrom = NONE;

  /** Creates an empty backlog. */
  public CatalogBacklog() {}

  /**
   * Adds the change of a batch that was appended.
   *
   * @param position the position of the batch
   * @param key the object; its id should know the name
   * @param change what changes
   * @return how many changes wait now
   */
  public int add(long position, ObjectKey key, CatalogChange change) {
    lock.lock();
    try {
      waiting.add(new Waiting(position, key, change));
      waitingFrom = Math.min(waitingFrom, position);
      return waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes out what is durable. The caller writes it to the catalog's files and then calls {@link
   * #saved} once they are durable.
   *
   * @param durablePosition up to which position the journal is durable
   * @return the changes, in the order of their positions
   */
  public List<Waiting> takeDurable(long durablePosition) {
    lock.lock();
    try {
      List<Waiting> taken = new ArrayList<>(waiting.size());
      List<Waiting> rest = new ArrayList<>();
      for (Waiting each : waiting) {
        (each.position() <= durablePosition ? taken : rest).add(each);
      }
      taken.sort(BY_POSITION);
      // From here on nothing needs memory: what left one place is in another.
      waiting = rest;
      waitingFrom = lowest(rest);
      takenFrom = Math.min(takenFrom, lowest(taken));
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Puts back what could not be written.
   *
   * @param taken what {@link #takeDurable} returned
   */
  public void putBack(List<Waiting> taken) {
    lock.lock();
    try {
      waiting.addAll(taken);
      waitingFrom = Math.min(waitingFrom, lowest(taken));
    } finally {
      lock.unlock();
    }
  }

  /** Notes that everything taken so far is durable in the catalog's files. */
  public void saved() {
    lock.lock();
    try {
      takenFrom = NONE;
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@return the lowest position that recovery of the catalog would need; the largest long if none}
   */
  public long lowestPosition() {
    lock.lock();
    try {
      return Math.min(takenFrom, waitingFrom);
    } finally {
      lock.unlock();
    }
  }

  private static long lowest(List<Waiting> changes) {
    long lowest = NONE;
    for (Waiting each : changes) {
      lowest = Math.min(lowest, each.position());
    }
    return lowest;
  }
}
