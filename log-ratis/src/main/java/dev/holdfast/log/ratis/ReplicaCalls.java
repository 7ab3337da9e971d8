package dev.holdfast.log.ratis;

import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.Replica;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The replica of a log: called by one thread at a time, and not after the end. Given no entry
 * twice. Thread-safe.
 */
final class ReplicaCalls {

  private final BooleanSupplier hasFailed;

  /** Held while the replica is called. */
  private final ReentrantLock calling = new ReentrantLock();

  private volatile @Nullable Replica replica;
  private volatile boolean isClosed;

  // Guarded by calling.
  private long passed = RatisLog.NONE;
  private boolean leads;

  /**
   * @param hasFailed whether the log has stopped, so that no entry is passed any more
   */
  ReplicaCalls(BooleanSupplier hasFailed) {
    this.hasFailed = hasFailed;
  }

  /** {@return the replica; null before the start} */
  @Nullable Replica replica() {
    return replica;
  }

  boolean isClosed() {
    return isClosed;
  }

  /** The replica has the entries up to this one from earlier runs. */
  void has(long index) {
    calling.lock();
    try {
      passed = index;
    } finally {
      calling.unlock();
    }
  }

  void begin(Replica started) {
    replica = started;
  }

  /** Ends the calls; returns whether this call did that. */
  boolean end() {
    calling.lock();
    try {
      boolean ends = !isClosed;
      isClosed = true;
      return ends;
    } finally {
      calling.unlock();
    }
  }

  /** {@return the last entry that the replica has; {@link RatisLog#NONE} if it has none} */
  long passed() {
    calling.lock();
    try {
      return passed;
    } finally {
      calling.unlock();
    }
  }

  /**
   * Passes an entry on that the replica does not have.
   *
   * @return whether it may have it now; false after the end
   */
  boolean apply(long index, ByteBuffer entry) {
    calling.lock();
    try {
      if (isClosed || hasFailed.getAsBoolean()) {
        return false;
      }
      Replica target = replica;
      if (target == null || index < RatisLog.FIRST_OF_REPLICAS) {
        throw new IllegalStateException("Ratis gave entry " + index + " before a configuration");
      }
      if (index > passed) {
        target.apply(index, entry);
        passed = index;
      }
      return true;
    } finally {
      calling.unlock();
    }
  }

  /** Brings the replica forward. */
  interface Install<E extends Exception> {

    /**
     * Brings it forward, and is given no entry meanwhile.
     *
     * @return whether that was done
     */
    boolean run() throws E;
  }

  /**
   * Brings the replica forward to an entry.
   *
   * @return whether that was done; false after the end, or if the log has stopped for it
   */
  <E extends Exception> boolean install(long index, Install<E> install) throws E {
    calling.lock();
    try {
      if (isClosed || hasFailed.getAsBoolean()) {
        return false;
      }
      if (!install.run()) {
        return false;
      }
      passed = Math.max(passed, index);
      return true;
    } finally {
      calling.unlock();
    }
  }

  void configured(Configuration agreed) {
    calling.lock();
    try {
      Replica target = replica;
      if (!isClosed && target != null) {
        target.configured(agreed);
      }
    } finally {
      calling.unlock();
    }
  }

  void mayLead(boolean yes) {
    calling.lock();
    try {
      Replica target = replica;
      if (!isClosed && target != null && leads != yes) {
        leads = yes;
        target.mayLead(yes);
      }
    } finally {
      calling.unlock();
    }
  }
}
