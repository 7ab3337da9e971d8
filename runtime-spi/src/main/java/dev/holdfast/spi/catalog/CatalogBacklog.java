package dev.holdfast.spi.catalog;

import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Catalog changes that are in the journal but not in the catalog's own files: most of them because
 * they are not durable yet, and a view must not be ahead of the journal. Thread-safe.
 */
public final class CatalogBacklog {

  /**
   * A pending change.
   *
   * @param position the position of its batch
   * @param key the object
   * @param change the change
   */
  public record Waiting(long position, ObjectKey key, CatalogChange change) {}

  private static final long NONE = Long.MAX_VALUE;

  private static final Comparator<Waiting> BY_POSITION =
      Comparator.comparingLong(Waiting::position);

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock. Batches of different objects may arrive out of order; a change that arrives
  // after others with higher positions is about a different object. Sorted when taken and not when
  // added: turns that add a change wait for each other here.
  private List<Waiting> waiting = new ArrayList<>();
  private long waitingFrom = NONE;
  private long takenFrom = NONE;

  /** Creates an empty backlog. */
  public CatalogBacklog() {}

  /**
   * Adds the change of a batch that was appended.
   *
   * @param position the position of the batch
   * @param key the object; its id should have the name
   * @param change the change
   * @return the number of pending changes
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
   * Removes and returns the durable changes. The caller writes them to the catalog's files and
   * calls {@link #saved} once they are durable.
   *
   * @param durablePosition the position up to which the journal is durable
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
      // From here on nothing allocates: each change is in one of the two lists.
      waiting = rest;
      waitingFrom = lowest(rest);
      takenFrom = Math.min(takenFrom, lowest(taken));
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Puts back changes that could not be written.
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

  /** Records that all changes taken so far are durable in the catalog's files. */
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
