package dev.holdfast.journal;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.Spare;
import dev.holdfast.journal.group.CommitFront;
import dev.holdfast.journal.group.CommitStatistics;
import dev.holdfast.journal.group.DurabilityWaiter;
import dev.holdfast.journal.group.Failure;
import dev.holdfast.journal.group.Gathering;
import dev.holdfast.journal.group.Group;
import dev.holdfast.journal.group.PendingRecord;
import dev.holdfast.spi.Journal.DurabilityListener;
import dev.holdfast.spi.Journal.FailureListener;
import dev.holdfast.spi.statistics.StorageEvents;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Group commit: many records share one sync.
 *
 * <p>There are at most two groups: one <em>gathers</em> records in memory while the one before it
 * is <em>flushing</em>, that is, being written and synced. The thread that flushes is the
 * <em>leader</em>; there is at most one. When a flush ends and a waiter exists for the gathering
 * group, the leader first names the next leader:
 *
 * <ul>
 *   <li>a platform thread that finds no leader leads the flush itself, so that a single caller
 *       needs no hand-over;
 *   <li>a platform thread that waits for the gathering group is named leader while it waits; it
 *       must be woken anyway;
 *   <li>otherwise the thread of the {@link Flusher} leads. Virtual threads never lead, because a
 *       sync blocks the carrier.
 * </ul>
 *
 * <p><b>No wake-up is lost</b>, because one lock guards all of these decisions. A thread joins the
 * waiters of a group in the critical section in which it sees that the group is not durable. A
 * leader that ends checks in one critical section whether the next group has waiters, and either
 * names a leader or leaves the journal without one, so that the next waiter finds none.
 *
 * <p>Each thread waits with its own {@link DurabilityWaiter} and is woken once, when its group is
 * durable: there is no thundering herd at each flush. The lock is held at most while a record is
 * copied, never during a system call.
 *
 * <p><b>Failure is final.</b> After a write or sync error the content of the disk is unknown; all
 * waiters are notified at once, and {@link #durablePosition} no longer changes.
 *
 * <p>Thread-safe.
 */
final class GroupCommit implements CommitFront.End {

  /**
   * The collaborators of group commit.
   *
   * @param checkpoints notified of every group that became durable
   * @param statistics measures the flushes
   * @param tail a group that was found in the newest segment; null if none is known
   */
  record Setup(
      JournalOptions options,
      TimeSource time,
      SegmentWriter writer,
      SegmentSupply supply,
      LowWaterMark lowWaterMark,
      Checkpoints checkpoints,
      CommitStatistics statistics,
      SegmentWalk.@Nullable Place tail) {}

  private final JournalOptions options;
  private final TimeSource time;
  private final SegmentWriter writer;
  private final SegmentSupply supply;
  private final LowWaterMark lowWaterMark;
  private final Checkpoints checkpoints;
  private final CommitStatistics statistics;
  private final Flusher flusher = new Flusher(this::lead);
  private final Notifier notifier;

  private final CommitFront front;
  private final ReentrantLock lock;
  private final ReentrantLock roomLock;
  private final Failure failure;

  // Guarded by lock.
  private final Gathering gathering;
  private boolean led;
  private @Nullable DurabilityWaiter roomWaiter;

  /**
   * Whether a segment has its name but could not be opened: nothing may be written to the one
   * before it.
   */
  private boolean segmentPending;

  /** The last record when the journal was opened. */
  private final long openedPosition;

  GroupCommit(Setup setup, Gathering.Start start) {
    this.options = setup.options();
    this.time = setup.time();
    this.writer = setup.writer();
    this.supply = setup.supply();
    this.lowWaterMark = setup.lowWaterMark();
    this.checkpoints = setup.checkpoints();
    this.statistics = setup.statistics();
    this.gathering = new Gathering(options.gatherBytesMax(), options.largeRecordBytes(), start);
    if (setup.tail() != null) {
      gathering.noteBegin(setup.tail().position(), setup.tail().offset());
    }
    this.openedPosition = start.lastPosition();
    this.front = new CommitFront(time, statistics, options.lingerNanos(), gathering, this);
    this.lock = front.lock();
    this.roomLock = front.roomLock();
    this.failure = front.failure();
    this.notifier = new Notifier(front::callListeners);
  }

  /**
   * Starts all threads, because a thread that is created only when needed may not be available
   * then.
   */
  void start() {
    flusher.start();
    notifier.start();
  }

  long lastPosition() {
    return gathering.lastPosition();
  }

  long durablePosition() {
    return gathering.durablePosition();
  }

  @Nullable JournalFailedException failure() {
    return failure.reason();
  }

  void onFailure(FailureListener listener) {
    failure.onFailure(listener);
  }

  // ---------------------------------------------------------------- appending

  long append(PendingRecord record) {
    return front.append(record);
  }

  /** {@return whether the next record begins a segment that has only its name yet} */
  @Override
  public boolean isBlocked() {
    assert lock.isHeldByCurrentThread();
    return segmentPending;
  }

  /** Waits until a leader has taken the gathered records, and begins a segment if needed. */
  @Override
  public long appendWhenRoom(PendingRecord record, long wallMillis) {
    roomLock.lock();
    try {
      while (true) {
        switch (nextStep(record, wallMillis)) {
          case RoomStep.Added(long position) -> {
            return position;
          }
          case RoomStep.BeginSegment(long segmentBytes) ->
              beginSegment(options.segmentBytesAfter(segmentBytes), record.allBytes());
          case RoomStep.Lead() -> lead();
          case RoomStep.Wait(DurabilityWaiter waiter) -> waiter.await();
        }
      }
    } finally {
      front.endRoomWanted();
      roomLock.unlock();
    }
  }

  /**
   * Begins a segment, after everything before it is durable. Does nothing if the newest one has no
   * record yet. It is a small one, unless a spare is there: most of its room may never be used.
   */
  void beginSegment() {
    roomLock.lock();
    try {
      while (true) {
        switch (stepToSegment()) {
          case RoomStep.Added _ -> {
            return;
          }
          case RoomStep.BeginSegment _ ->
              beginSegment(options.shortSegmentBytes(), /* recordBytes= */ 0);
          case RoomStep.Lead() -> lead();
          case RoomStep.Wait(DurabilityWaiter waiter) -> waiter.await();
        }
      }
    } finally {
      front.endRoomWanted();
      roomLock.unlock();
    }
  }

  private RoomStep stepToSegment() {
    assert roomLock.isHeldByCurrentThread();
    lock.lock();
    try {
      front.checkOpen();
      Group group = gathering.group();
      // It may have groups without records: a segment of the same position would replace it.
      boolean isNew = lastPosition() == 0 || writer.isNewestWithout(lastPosition() + 1);
      return isNew && group.isEmpty() && !led && !segmentPending
          ? new RoomStep.Added(lastPosition())
          : stepToRoom();
    } finally {
      lock.unlock();
    }
  }

  private RoomStep nextStep(PendingRecord record, long wallMillis) {
    assert roomLock.isHeldByCurrentThread();
    lock.lock();
    try {
      front.checkOpen();
      front.wantRoom(); // once the gathering group is empty, this keeps it empty
      if (!segmentPending && gathering.hasRoom(record)) {
        return new RoomStep.Added(gathering.append(record, wallMillis));
      }
      return stepToRoom();
    } finally {
      lock.unlock();
    }
  }

  private RoomStep stepToRoom() {
    assert lock.isHeldByCurrentThread();
    front.wantRoom();
    Group group = gathering.group();
    if (group.isEmpty()) {
      if (!led) {
        led = true;
        return new RoomStep.BeginSegment(group.place().segmentBytes());
      }
    } else {
      group.demand();
      if (claimLead()) {
        return new RoomStep.Lead();
      }
    }
    DurabilityWaiter waiter = new DurabilityWaiter();
    roomWaiter = waiter;
    return new RoomStep.Wait(waiter);
  }

  /**
   * Begins the next segment before the record that needs it is appended, and not when it is
   * flushed: so a failure to get space or to open a file is the error of this append. The segment
   * before it is durable to its end at this point: otherwise a crash could leave a gap between the
   * two. Its time is read now, so that no record of the segment before it is later.
   */
  private void beginSegment(long preferredBytes, long recordBytes) {
    Group.@Nullable Place place = null;
    try {
      Spare spare = writer.isBeginning() ? null : takeSpare(recordBytes, preferredBytes);
      place = beginSegment(spare);
    } finally {
      endBeginning(place);
    }
  }

  private Group.@Nullable Place beginSegment(@Nullable Spare spare) {
    long first = lastPosition() + 1;
    long wallMillis = time.wallMillis();
    try {
      return supply.run(() -> writer.begin(spare, first, lowWaterMark.known(), wallMillis));
    } catch (DataDirectoryException e) {
      if (spare != null && !writer.isBeginning()) {
        supply.giveBack(spare);
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      fail(e);
      return null; // the next step reports why
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  private Spare takeSpare(long recordBytes, long preferredBytes) {
    return supply.take(preferredBytes, Group.segmentBytesFor(recordBytes));
  }

  private void endBeginning(Group.@Nullable Place place) {
    assert roomLock.isHeldByCurrentThread();
    lock.lock();
    try {
      segmentPending = writer.isBeginning();
      if (place != null) {
        gathering.beginSegment(place);
      }
      led = false;
      if (gathering.group().isDemanded()) {
        appoint();
      }
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- waiting

  @Override
  public void awaitDurable(long position) {
    if (position <= durablePosition()) {
      return;
    }
    statistics.waitBegins();
    try {
      waitOrLead(position);
    } finally {
      statistics.waitEnds();
    }
  }

  private void waitOrLead(long position) {
    DurabilityWaiter waiter;
    lock.lock();
    try {
      if (front.isDurable(position)) {
        return;
      }
      waiter = claimLead() ? null : join(gathering.groupOf(position));
    } finally {
      lock.unlock();
    }
    if (waiter == null || waiter.await() == DurabilityWaiter.Signal.LEAD) {
      lead();
    }
    front.requireDurable(position);
  }

  void whenDurable(long position, DurabilityListener listener) {
    front.whenDurable(position, listener);
  }

  private static DurabilityWaiter join(Group group) {
    DurabilityWaiter waiter = new DurabilityWaiter();
    group.addWaiter(waiter);
    return waiter;
  }

  /** {@return whether the calling thread is the leader now; if not, there is one} */
  private boolean claimLead() {
    assert lock.isHeldByCurrentThread();
    if (!led && !Thread.currentThread().isVirtual()) {
      led = true;
      return true;
    }
    appoint();
    return false;
  }

  /** Lets the flusher lead, unless there is a leader. */
  @Override
  public void appoint() {
    assert lock.isHeldByCurrentThread();
    if (!led) {
      led = true;
      flusher.lead();
    }
  }

  // ---------------------------------------------------------------- flushing

  /** Flushes the gathered records. The caller is the leader, and no longer is when this returns. */
  private void lead() {
    assert !lock.isHeldByCurrentThread();
    Group group = null;
    DurabilityWaiter successor;
    try {
      group = takeGathering();
      write(group);
      successor = settle(group);
    } catch (IOException | RuntimeException e) {
      fail(group, e);
      return;
    } catch (Error e) {
      fail(group, e); // e.g. out of memory: without a leader all waiters would wait for ever
      throw e;
    }
    // The next flush comes first: the disk should not idle while a thousand waiters are woken.
    signal(successor, DurabilityWaiter.Signal.LEAD);
    signalSettled(group);
    lowWaterMark.written(group.lowWaterMark());
    checkpoints.flushed(group);
  }

  /** Writes and syncs a group: from here on it is durable. */
  private void write(Group group) throws IOException {
    StorageEvents.CommitGroup event = statistics.event();
    long begunNanos = statistics.nanos();
    writer.write(group);
    statistics.flushed(group, statistics.nanos() - begunNanos, event);
  }

  private Group takeGathering() {
    DurabilityWaiter appender;
    Group group;
    lock.lock();
    try {
      assert gathering.inFlight() == null || failure() != null;
      group = gathering.seal(lowWaterMark.known());
      appender = takeRoomWaiter();
    } finally {
      lock.unlock();
    }
    signal(appender, DurabilityWaiter.Signal.SETTLED);
    return group;
  }

  private @Nullable DurabilityWaiter takeRoomWaiter() {
    assert lock.isHeldByCurrentThread();
    DurabilityWaiter waiter = roomWaiter;
    roomWaiter = null;
    return waiter;
  }

  /**
   * Publishes a group as durable and ends the leadership of the caller.
   *
   * @return a waiter that is the leader from now on; null if the flusher leads, or no thread
   */
  private @Nullable DurabilityWaiter settle(Group group) {
    lock.lock();
    try {
      gathering.flushed();
      gathering.noteBegin(group.firstPosition(), group.place().offsetBytes());
      notifier.enqueue(group);
      signal(takeRoomWaiter(), DurabilityWaiter.Signal.SETTLED); // it may begin a segment now
      Group next = gathering.group();
      DurabilityWaiter candidate = next.candidate();
      led = next.isDemanded();
      if (led && candidate == null) {
        flusher.lead();
      }
      return candidate;
    } finally {
      lock.unlock();
    }
  }

  private static void signal(@Nullable DurabilityWaiter waiter, DurabilityWaiter.Signal signal) {
    if (waiter != null && !waiter.isSignalled()) {
      waiter.signal(signal);
    }
  }

  /**
   * Notifies all waiters of a settled group. Waking a thread may fail for lack of memory; the
   * caller reports that, and the other waiters are still woken.
   */
  private static void signalSettled(Group group) {
    Error failed = null;
    List<DurabilityWaiter> waiters = group.waiters();
    for (int i = 0; i < waiters.size(); i++) {
      try {
        signal(waiters.get(i), DurabilityWaiter.Signal.SETTLED);
      } catch (Error e) {
        failed = e;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  @Override
  public void fail(Throwable cause) {
    fail(null, cause);
  }

  private void fail(@Nullable Group group, Throwable cause) {
    DurabilityWaiter appender;
    Group inFlight;
    Group gathered;
    lock.lock();
    try {
      JournalFailedException failed = failure.stop(durablePosition(), cause);
      led = false;
      inFlight = gathering.inFlight();
      gathered = gathering.group();
      if (inFlight != null) {
        inFlight.failed(failed);
        notifier.enqueue(inFlight);
      }
      gathered.failed(failed);
      notifier.enqueue(gathered);
      appender = takeRoomWaiter();
    } finally {
      lock.unlock();
    }
    failure.notifyListeners();
    signal(appender, DurabilityWaiter.Signal.SETTLED);
    if (group != null && group != inFlight) {
      signalSettled(group); // it was durable before it failed
    }
    if (inFlight != null) {
      signalSettled(inFlight);
    }
    signalSettled(gathered);
  }

  /** Writes a group without records if there is a new mark to write. Does not wait for it. */
  void writeMark() {
    lock.lock();
    try {
      boolean news = lowWaterMark.known() > lowWaterMark.durable();
      if (news && !front.isClosed() && failure() == null && gathering.group().segmentHasRoom(0)) {
        gathering.group().demand();
        appoint();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stops the journal, and throws the reason. */
  void stop(RuntimeException cause) {
    fail(cause);
    failure.throwIfAny();
  }

  // ---------------------------------------------------------------- closing

  /** {@return the end of the journal if all of it is durable; null otherwise} */
  Gathering.@Nullable Start end() {
    lock.lock();
    try {
      boolean isAll = gathering.inFlight() == null && gathering.group().isEmpty();
      return isAll && !segmentPending
          ? new Gathering.Start(lastPosition(), gathering.group().place())
          : null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * {@return the start, in the newest segment, of a group at or before a position; null if unknown}
   */
  Gathering.@Nullable Start startBefore(long position) {
    lock.lock();
    try {
      return gathering.startBefore(position);
    } finally {
      lock.unlock();
    }
  }

  /** Refuses further appends and makes all records durable. */
  void close() {
    front.close();
    try {
      if (failure() == null) {
        awaitDurable(lastPosition());
        checkpoints.raiseMark();
        writeClosingGroup();
      }
    } finally {
      flusher.close();
      notifier.close();
    }
  }

  /**
   * Writes a group without records and with the latest mark, so that damage to the last group with
   * records cannot be taken for a torn tail when the journal is opened again.
   */
  private void writeClosingGroup() {
    DurabilityWaiter waiter;
    lock.lock();
    try {
      boolean isAppended = lastPosition() > openedPosition;
      boolean news = isAppended || lowWaterMark.known() > lowWaterMark.durable();
      if (!news || !gathering.group().segmentHasRoomToClose()) {
        return;
      }
      waiter = join(gathering.group());
      appoint();
    } finally {
      lock.unlock();
    }
    waiter.await();
    failure.throwIfAny();
  }
}
