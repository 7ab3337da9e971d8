package dev.holdfast.spi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
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

  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock. Batches of different objects may arrive out of order; a change that comes
  // later than others with higher positions is about an object of its own.
  private final PriorityQueue<Waiting> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Waiting::position));
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
      List<Waiting> taken = new ArrayList<>();
      for (Waiting first = waiting.peek();
          first != null && first.position() <= durablePosition;
          first = waiting.peek()) {
        taken.add(waiting.remove());
      }
      if (!taken.isEmpty()) {
        takenFrom = Math.min(takenFrom, taken.getFirst().position());
      }
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
      Waiting first = waiting.peek();
      return Math.min(takenFrom, first == null ? NONE : first.position());
    } finally {
      lock.unlock();
    }
  }
}
