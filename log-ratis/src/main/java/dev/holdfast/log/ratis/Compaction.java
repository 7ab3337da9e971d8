package dev.holdfast.log.ratis;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;

/** Where a log begins: how much of it may be dropped, and is. Thread-safe. */
final class Compaction {

  private final LogFiles files;
  private final RatisOptions options;

  /** Held while it is stated where the log begins, before {@link #lock}. */
  private final ReentrantLock stating = new ReentrantLock();

  private final ReentrantLock lock = new ReentrantLock();

  /** The entry before which the log begins. */
  private volatile @Nullable TermIndex begin;

  // Guarded by lock.
  private final LogTail tail = new LogTail();
  private long allowed = RatisLog.NONE;
  private long dropped = RatisLog.NONE;

  Compaction(LogFiles files, RatisOptions options) {
    this.files = files;
    this.options = options;
  }

  /** {@return the last entry that the log may have dropped; null if it has dropped none} */
  @Nullable TermIndex begin() {
    return begin;
  }

  /** The log is opened, and its file says where it may begin. */
  void opened(@Nullable TermIndex entry) {
    begin = entry;
    lock.lock();
    try {
      dropped = entry == null ? RatisLog.NONE : entry.getIndex();
    } finally {
      lock.unlock();
    }
  }

  /** The replica was given an entry. */
  void applied(long index, long bytes) {
    lock.lock();
    try {
      tail.add(index, bytes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The replica needs no entry up to this one.
   *
   * @return whether enough of the log is not needed any more
   */
  boolean allow(long index) {
    lock.lock();
    try {
      allowed = Math.max(allowed, index);
      return allowed > dropped && tail.bytes() >= options.segmentBytes();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Decides how much of the log is dropped now, and makes that durable.
   *
   * @param applied the last entry that may be dropped
   * @param working the log; null if it has stopped. It is asked when no installation is under way
   * @return the last entry that is; null for none
   */
  @Nullable TermIndex compact(long applied, Supplier<@Nullable LogDivision> working)
      throws IOException {
    stating.lock();
    try {
      LogDivision log = working.get();
      if (log == null) {
        return null;
      }
      long index = dropped(applied, log);
      TermIndex entry = index == RatisLog.NONE ? null : log.termOf(index);
      if (entry != null) {
        state(entry);
      }
      return entry;
    } finally {
      stating.unlock();
    }
  }

  /** {@return the last entry that is dropped now; {@link RatisLog#NONE} if there is none} */
  private long dropped(long applied, LogDivision log) {
    lock.lock();
    try {
      long kept =
          Math.max(
              log.leastCommitted().orElse(RatisLog.NONE), tail.cutoff(options.retainedBytesMax()));
      long index = Math.min(Math.min(allowed, applied), kept);
      return index > dropped ? index : RatisLog.NONE;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the log begin after the entry up to which the replica is brought forward.
   *
   * @param install brings it forward, and nothing is dropped meanwhile
   * @param failed stops the log if that fails, and nothing is dropped before
   * @return whether it was brought forward
   */
  boolean bringForward(TermIndex place, Runnable install, Consumer<Throwable> failed) {
    stating.lock();
    try {
      install.run();
      state(place);
    } catch (IOException | RuntimeException | Error e) {
      failed.accept(e);
      return false;
    } finally {
      stating.unlock();
    }
    allow(place.getIndex());
    return true;
  }

  /** States durably where the log may begin. */
  private void state(TermIndex entry) throws IOException {
    assert stating.isHeldByCurrentThread();
    files.compacted(entry);
    begin = entry;
    lock.lock();
    try {
      dropped = entry.getIndex();
      tail.dropTo(entry.getIndex());
    } finally {
      lock.unlock();
    }
  }
}
