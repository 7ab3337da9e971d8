package dev.holdfast.journal.group;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal.DurabilityListener;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The front of group commit: records gather in a group, and callers wait until it is durable. A
 * journal on the disk of this machine and one in a replicated log both have it. They differ in
 * their {@link End}: which thread takes the group that gathers, how a segment begins, and what
 * makes a group durable.
 *
 * <p>One lock guards the group that gathers, its waiters, and the decision which thread takes it.
 * The end uses the same lock for these, so that no wake-up is lost.
 *
 * <p>Thread-safe, but for the methods that say that the caller has the lock.
 */
public final class CommitFront {

  private static final long NO_ROOM = -1;

  /** What takes the groups. */
  public interface End {

    /**
     * Lets a thread take the group that gathers, unless one does so already. The caller has the
     * lock.
     */
    void appoint();

    /**
     * {@return whether no record may be added now, though the group has room} The caller has the
     * lock.
     */
    boolean isBlocked();

    /**
     * Waits until there is room for a record, and appends it.
     *
     * @param record the record
     * @param wallMillis its time
     * @return its position
     */
    long appendWhenRoom(PendingRecord record, long wallMillis);

    /**
     * Waits until a position is durable.
     *
     * @param position the position
     */
    void awaitDurable(long position);

    /**
     * Stops the journal. The caller has the lock.
     *
     * @param cause why
     */
    void fail(Throwable cause);
  }

  private final TimeSource time;
  private final CommitStatistics statistics;
  private final End end;
  private final Linger linger;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Held by the one appender that waits for room. Fair, and all other appenders queue behind it:
   * otherwise small records would keep taking the room that a large one waits for.
   */
  private final ReentrantLock roomLock = new ReentrantLock(true);

  // Guarded by lock.
  private final Gathering gathering;
  private boolean roomWanted;
  private boolean closed;

  private final Failure failure = new Failure();

  /**
   * Creates the front of a journal.
   *
   * @param time stamps the records
   * @param statistics measures the waits
   * @param lingerNanos how long a record waits for others
   * @param gathering the groups
   * @param end takes the groups; not called before a method of this is
   */
  public CommitFront(
      TimeSource time,
      CommitStatistics statistics,
      long lingerNanos,
      Gathering gathering,
      End end) {
    this.time = time;
    this.statistics = statistics;
    this.gathering = gathering;
    this.end = end;
    this.linger = new Linger(time, lingerNanos, this::flushIfGathering);
  }

  /** {@return the lock of the group that gathers} */
  public ReentrantLock lock() {
    return lock;
  }

  /** {@return the lock of the appender that waits for room, or begins a segment} */
  public ReentrantLock roomLock() {
    return roomLock;
  }

  /** {@return how the journal failed, if it did} */
  public Failure failure() {
    return failure;
  }

  // ---------------------------------------------------------------- appending

  /**
   * Appends a record.
   *
   * @param record the record
   * @return its position
   */
  public long append(PendingRecord record) {
    long wallMillis = time.wallMillis();
    linger.recordComes(gathering.lastPosition() + 1);
    long position = addIfRoom(record, wallMillis);
    if (position == NO_ROOM) {
      position = end.appendWhenRoom(record, wallMillis);
    }
    // From here on nothing may fail: the record will be durable, even if its appender gets an
    // exception.
    if (!linger.isWatching()) {
      flushSoon();
    }
    if (gathering.isLarge(record)) {
      end.awaitDurable(position); // the payload is the caller's again when append returns
    }
    return position;
  }

  private long addIfRoom(PendingRecord record, long wallMillis) {
    lock.lock();
    try {
      checkOpen();
      boolean hasRoom = !roomWanted && !end.isBlocked() && gathering.hasRoom(record);
      return hasRoom ? gathering.append(record, wallMillis) : NO_ROOM;
    } finally {
      lock.unlock();
    }
  }

  private void flushSoon() {
    lock.lock();
    try {
      if (!gathering.group().isEmpty() && !closed && failure.reason() == null) {
        gathering.group().demand();
        end.appoint();
      }
    } finally {
      lock.unlock();
    }
  }

  /** For {@link Linger}. */
  private long flushIfGathering(long firstPosition) {
    lock.lock();
    try {
      Group group = gathering.group();
      if (group.isEmpty() || closed || failure.reason() != null) {
        return Linger.NOTHING;
      }
      if (group.firstPosition() != firstPosition) {
        return group.firstPosition();
      }
      group.demand();
      end.appoint();
      return Linger.NOTHING;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps the group that gathers empty, once it is. The caller has both locks. */
  public void wantRoom() {
    assert lock.isHeldByCurrentThread() && roomLock.isHeldByCurrentThread();
    roomWanted = true;
  }

  /** Ends {@link #wantRoom}. The caller has the lock for room. */
  public void endRoomWanted() {
    assert roomLock.isHeldByCurrentThread();
    lock.lock();
    try {
      roomWanted = false;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Throws if the journal has failed or is closed. The caller has the lock.
   *
   * @throws JournalFailedException if nothing can be appended
   */
  public void checkOpen() {
    assert lock.isHeldByCurrentThread();
    if (gathering.isTorn() && failure.reason() == null) {
      end.fail(gathering.tornAppend());
    }
    failure.throwIfAny();
    if (closed) {
      throw new JournalFailedException("The journal is closed", null);
    }
  }

  // ---------------------------------------------------------------- waiting

  /**
   * Calls a listener when a position is durable, or will never be.
   *
   * @param position the position
   * @param listener the listener; called at once if that is known
   */
  public void whenDurable(long position, DurabilityListener listener) {
    JournalFailedException failed;
    lock.lock();
    try {
      failed = position <= gathering.durablePosition() ? null : failure.reason();
      if (failed == null && !isDurable(position)) {
        addListener(gathering.groupOf(position), position, listener);
        return;
      }
    } finally {
      lock.unlock();
    }
    listener.settled(failed);
  }

  /**
   * Adds a listener to a group. The caller has the lock.
   *
   * @param group the group
   * @param position what the listener waits for
   * @param listener called when the group is settled
   */
  public void addListener(Group group, long position, DurabilityListener listener) {
    assert lock.isHeldByCurrentThread();
    group.addCallback(new DurableCallback(position, listener));
    statistics.waitBegins();
    end.appoint();
  }

  /**
   * Calls the listeners of a settled group.
   *
   * @param group the group
   */
  public void callListeners(Group group) {
    for (DurableCallback callback : group.callbacks()) {
      statistics.waitEnds();
      try {
        callback.listener().settled(group.failure());
      } catch (RuntimeException | Error e) {
        // An exception from one listener must not keep the others waiting.
        FaultLog.error("A listener of the journal failed", callback, e);
      }
    }
  }

  /**
   * Returns whether a position is durable. The caller has the lock.
   *
   * @param position the position
   * @return whether it is
   * @throws IllegalArgumentException if it was never appended
   * @throws JournalFailedException if it will never be durable
   */
  public boolean isDurable(long position) {
    assert lock.isHeldByCurrentThread();
    if (position > gathering.lastPosition()) {
      throw new IllegalArgumentException(
          "Position "
              + position
              + " was never appended; the last one is "
              + gathering.lastPosition());
    }
    if (position > gathering.durablePosition()) {
      failure.throwIfAny();
      return false;
    }
    return true;
  }

  /**
   * Ends a wait.
   *
   * @param position whose group was settled
   * @throws JournalFailedException if it will never be durable
   */
  public void requireDurable(long position) {
    if (position > gathering.durablePosition()) {
      failure.throwIfAny();
      throw new IllegalStateException(
          "Position "
              + position
              + " was settled, but only "
              + gathering.durablePosition()
              + " is durable");
    }
  }

  // ---------------------------------------------------------------- closing

  /** {@return whether {@link #close} was called} The caller has the lock. */
  public boolean isClosed() {
    assert lock.isHeldByCurrentThread();
    return closed;
  }

  /**
   * Refuses further appends. An appender that waits for room finishes first, or fails.
   *
   * @return whether this is the first call
   */
  public boolean close() {
    roomLock.lock();
    lock.lock();
    try {
      boolean isFirst = !closed;
      closed = true;
      return isFirst;
    } finally {
      lock.unlock();
      roomLock.unlock();
    }
  }
}
