package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.SegmentSupply;
import dev.holdfast.journal.group.CommitFront;
import dev.holdfast.journal.group.CommitStatistics;
import dev.holdfast.journal.group.DurabilityWaiter;
import dev.holdfast.journal.group.Failure;
import dev.holdfast.journal.group.Gathering;
import dev.holdfast.journal.group.Group;
import dev.holdfast.journal.group.PendingRecord;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.Journal.DurabilityListener;
import dev.holdfast.spi.Journal.FailureListener;
import dev.holdfast.spi.log.OwnershipLostException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Group commit of a shard: many records share one entry of the log.
 *
 * <p>One group <em>gathers</em> records, and up to {@link #WINDOW} groups are <em>in flight</em>:
 * proposed, and not applied yet. A group is proposed when somebody waits for it and the window has
 * room, so under load groups grow by themselves. It is durable when this node's replica has
 * accepted it, in log order; then its waiters go on, and the next group may be proposed. One thread
 * proposes at a time, so that groups are proposed in their order: a waiting platform thread, or the
 * proposer.
 *
 * <p><b>A proof</b> is a group without records that somebody waits for. A caller that asks for one
 * joins the group that gathers, which is proposed later; a group in flight may have been ordered
 * before another owner wrote.
 *
 * <p><b>The end of an epoch is final.</b> When a group is skipped or refused, or another node opens
 * the shard, all waiters are notified at once, and {@link #durablePosition} no longer changes. A
 * gap is never repaired.
 *
 * <p>Thread-safe.
 */
final class ShardCommit implements CommitFront.End {

  /**
   * How many groups may be in flight: with 4 fewer records were committed a second, as measured.
   */
  static final int WINDOW = 2;

  /** Maximum bytes that gather in one group: it is one entry, unless one record alone is longer. */
  static final int GATHER_BYTES_MAX = 512 << 10;

  /** A longer record has a group of its own, and its append waits. */
  static final int LARGE_RECORD_BYTES = GATHER_BYTES_MAX / 4;

  /**
   * The collaborators.
   *
   * @param log takes the groups
   * @param supply makes room for segments
   * @param statistics measures the groups
   * @param proposer runs proposals of threads that may not propose
   * @param notifier calls listeners, one after the other
   * @param lease runs from the proposal of each accepted group on
   */
  record Setup(
      JournalOptions options,
      TimeSource time,
      OwnedLog log,
      SegmentSupply supply,
      CommitStatistics statistics,
      Executor proposer,
      Executor notifier,
      Lease lease) {}

  private final JournalOptions options;
  private final TimeSource time;
  private final OwnedLog log;
  private final SegmentSupply supply;
  private final CommitStatistics statistics;
  private final Executor proposer;
  private final Executor notifier;
  private final Lease lease;
  private final long epoch;

  private final CommitFront front;
  private final ReentrantLock lock;
  private final ReentrantLock roomLock;
  private final Failure failure;

  /** A group was sealed, or the journal stopped. */
  private final Condition roomChanged;

  // Guarded by lock.
  private final Gathering gathering;
  private final ArrayDeque<Long> proposedNanos = new ArrayDeque<>();
  private LogEntry.Place segment;
  private long salt;
  private boolean proposing;

  /** Whether a segment is to begin with the next group. */
  private boolean segmentWanted;

  /** First position of the segment that was wanted last; 0 while it has not begun. */
  private long begun;

  /** What asks for a proof from now on gets none: the release may be proposed at any time. */
  private boolean releasing;

  /**
   * @param start what the replica has when the epoch begins
   */
  ShardCommit(Setup setup, SavedPoint start) {
    this.options = setup.options();
    this.time = setup.time();
    this.log = setup.log();
    this.supply = setup.supply();
    this.statistics = setup.statistics();
    this.proposer = setup.proposer();
    this.notifier = setup.notifier();
    this.lease = setup.lease();
    this.epoch = start.epoch();
    this.salt = start.salt();
    this.segment = new LogEntry.Place(start.segment(), 0, start.segmentBytes(), 0);
    this.gathering =
        new Gathering(
            GATHER_BYTES_MAX,
            LARGE_RECORD_BYTES,
            new Gathering.Start(
                start.lastPosition(), new Group.Place(start.endOffset(), start.segmentBytes())));
    this.front = new CommitFront(setup.time(), statistics, options.lingerNanos(), gathering, this);
    this.lock = front.lock();
    this.roomLock = front.roomLock();
    this.roomChanged = lock.newCondition();
    this.failure = front.failure();
  }

  long epoch() {
    return epoch;
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

  void throwIfFailed() {
    failure.throwIfAny();
  }

  void onFailure(FailureListener listener) {
    failure.onFailure(listener);
  }

  // ---------------------------------------------------------------- appending

  long append(PendingRecord record) {
    return front.append(record);
  }

  @Override
  public boolean isBlocked() {
    return false;
  }

  @Override
  public long appendWhenRoom(PendingRecord record, long wallMillis) {
    roomLock.lock();
    try {
      while (true) {
        Long position = addOrAwaitRoom(record, wallMillis);
        if (position != null) {
          return position;
        }
        beginSegment(record.allBytes(), wallMillis);
      }
    } finally {
      front.endRoomWanted();
      roomLock.unlock();
    }
  }

  /**
   * {@return the position of the record; null if the segment has no room for it, and the group that
   * gathers is empty}
   */
  private @Nullable Long addOrAwaitRoom(PendingRecord record, long wallMillis) {
    lock.lock();
    try {
      while (true) {
        front.checkOpen();
        front.wantRoom(); // once the group that gathers is empty, this keeps it empty
        if (gathering.hasRoom(record)) {
          return gathering.append(record, wallMillis);
        }
        if (gathering.group().isEmpty()) {
          return null;
        }
        gathering.group().demand();
        appoint();
        if (!gathering.group().isEmpty()) { // else this thread has just proposed it
          roomChanged.awaitUninterruptibly();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Decides how the next segment begins. Room for it on this node is made now: a full disk is the
   * error of this append and not of the replica, which would stop.
   */
  private void beginSegment(long recordBytes, long wallMillis) {
    assert roomLock.isHeldByCurrentThread();
    long needed = pages(Group.segmentBytesFor(recordBytes));
    long bytes = Math.max(options.segmentBytesAfter(segmentBytes()), needed);
    supply.makeRoom(bytes);
    lock.lock();
    try {
      front.checkOpen();
      salt = options.salts().getAsLong();
      segment = new LogEntry.Place(lastPosition() + 1, 0, bytes, wallMillis);
      gathering.beginSegment(Group.Place.first(bytes));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the next group begin a segment, however much room there is. Does not wait; {@link #begun}
   * follows.
   */
  void wantSegment() {
    supply.prepare(options.segmentBytesAfter(segmentBytes()));
    lock.lock();
    try {
      begun = 0;
      segmentWanted = true;
      if (gathering.group().isEmpty()) {
        beginWanted();
      } else {
        gathering.group().demand();
        appoint();
      }
    } finally {
      lock.unlock();
    }
  }

  /** {@return the first position of the segment that was wanted; 0 if it has not begun} */
  long begun() {
    lock.lock();
    try {
      return begun;
    } finally {
      lock.unlock();
    }
  }

  private void beginWanted() {
    assert lock.isHeldByCurrentThread();
    long bytes = options.segmentBytesAfter(segment.segmentBytes());
    salt = options.salts().getAsLong();
    segment = new LogEntry.Place(lastPosition() + 1, 0, bytes, time.wallMillis());
    gathering.beginSegment(Group.Place.first(bytes));
    begun = segment.segment();
    segmentWanted = false;
  }

  private long segmentBytes() {
    lock.lock();
    try {
      return segment.segmentBytes();
    } finally {
      lock.unlock();
    }
  }

  private static long pages(long bytes) {
    return (bytes + 4095) & -4096L;
  }

  // ---------------------------------------------------------------- waiting

  @Override
  public void awaitDurable(long position) {
    DurabilityWaiter waiter;
    boolean leads;
    lock.lock();
    try {
      if (front.isDurable(position)) {
        return;
      }
      waiter = new DurabilityWaiter();
      gathering.groupOf(position).addWaiter(waiter);
      leads = claim();
    } finally {
      lock.unlock();
    }
    await(waiter, leads);
    front.requireDurable(position);
  }

  void whenDurable(long position, DurabilityListener listener) {
    front.whenDurable(position, listener);
  }

  /**
   * Calls a listener once it is known that no other node had opened the shard when this was called.
   */
  void whenProven(DurabilityListener listener) {
    JournalFailedException failed;
    lock.lock();
    try {
      failed = failure();
      if (failed == null && releasing) {
        failed = givenUp();
      }
      if (failed == null) {
        front.addListener(gathering.group(), lastPosition(), listener);
        return;
      }
    } finally {
      lock.unlock();
    }
    listener.settled(failed);
  }

  /** Blocks until a position is durable, and until {@link #whenProven} would call its listener. */
  void awaitProven(long position) {
    DurabilityWaiter waiter;
    Group group;
    boolean leads;
    lock.lock();
    try {
      front.isDurable(position); // checks the position
      failure.throwIfAny();
      if (releasing) {
        throw givenUp();
      }
      waiter = new DurabilityWaiter();
      group = gathering.group();
      group.addWaiter(waiter);
      leads = claim();
    } finally {
      lock.unlock();
    }
    await(waiter, leads);
    if (group.failure() != null) {
      failure.throwIfAny();
    }
  }

  /** Of what asks for a proof when the shard is given up. */
  private static JournalFailedException givenUp() {
    return new JournalFailedException(
        "The journal is closed", new OwnershipLostException("This node gave the shard up."));
  }

  private void await(DurabilityWaiter waiter, boolean leads) {
    statistics.waitBegins();
    try {
      if (leads) {
        propose();
      }
      waiter.await();
    } finally {
      statistics.waitEnds();
    }
  }

  // ---------------------------------------------------------------- proposing

  private boolean mayPropose() {
    assert lock.isHeldByCurrentThread();
    return !proposing
        && failure() == null
        && gathering.group().isDemanded()
        && gathering.inFlightCount() < WINDOW;
  }

  /** {@return whether the calling thread proposes now} */
  private boolean claim() {
    assert lock.isHeldByCurrentThread();
    if (Thread.currentThread().isVirtual()) {
      appoint();
      return false;
    }
    boolean claimed = mayPropose();
    proposing |= claimed;
    return claimed;
  }

  @Override
  public void appoint() {
    assert lock.isHeldByCurrentThread();
    if (mayPropose()) {
      proposing = true;
      proposer.execute(this::propose);
    }
  }

  /** Proposes groups until none may be. The caller has claimed that. */
  private void propose() {
    try {
      Sealed sealed = seal();
      while (sealed != null) {
        for (LogEntry entry : entriesOf(sealed)) {
          log.propose(entry, this::refused);
        }
        sealed = seal();
      }
    } catch (RuntimeException e) {
      stop(e);
    } catch (Error e) {
      stop(e); // otherwise nobody would propose any more, and all would wait for ever
      throw e;
    }
  }

  /** A group that is to be proposed, with its segment. */
  private record Sealed(Group group, LogEntry.Place segment, long salt) {}

  /** {@return the next group; null if none may be proposed, and this thread no longer proposes} */
  private @Nullable Sealed seal() {
    lock.lock();
    try {
      proposing = false;
      if (!mayPropose()) {
        return null;
      }
      proposing = true;
      Group group = gathering.group().isEmpty() ? gathering.sealUnwritten() : gathering.seal(0);
      proposedNanos.add(statistics.nanos());
      Sealed sealed = new Sealed(group, segment, salt);
      if (segmentWanted && gathering.group().isEmpty()) {
        beginWanted();
      }
      roomChanged.signalAll();
      return sealed;
    } finally {
      lock.unlock();
    }
  }

  private List<LogEntry> entriesOf(Sealed sealed) {
    Group group = sealed.group();
    if (group.isEmpty()) {
      return List.of(
          new LogEntry.Group(
              epoch, group.firstPosition(), LogEntry.Place.NONE, 0, ByteBuffer.allocate(0)));
    }
    LogEntry.Place place =
        new LogEntry.Place(
            sealed.segment().segment(),
            group.place().offsetBytes(),
            sealed.segment().segmentBytes(),
            group.place().isFirst() ? sealed.segment().segmentMillis() : 0);
    ByteBuffer bytes = bytesOf(group, sealed.salt());
    List<LogEntry> entries = new ArrayList<>();
    int parts = 0;
    while (bytes.remaining() - parts > GATHER_BYTES_MAX) {
      entries.add(new LogEntry.Part(epoch, parts, bytes.slice(parts, GATHER_BYTES_MAX)));
      parts += GATHER_BYTES_MAX;
    }
    entries.add(
        new LogEntry.Group(
            epoch,
            group.firstPosition(),
            place,
            parts,
            bytes.slice(parts, bytes.remaining() - parts)));
    return entries;
  }

  /** The group as it will be in the segment. */
  private static ByteBuffer bytesOf(Group group, long salt) {
    group.header(salt).encode(group.buffer());
    ByteBuffer target = ByteBuffer.allocate(Math.toIntExact(group.groupBytes()));
    target.put(group.buffer(), 0, group.lengthBytes());
    ByteBuffer large = group.largePayload();
    if (large != null) {
      target.put(large.duplicate());
    }
    return target.clear(); // what is left are zeros: the padding of the last record
  }

  private void refused() {
    stop(
        new OwnershipLostException(
            "The log of the shard gave up a group of this node; the next owner says whether it was"
                + " kept."));
  }

  // ---------------------------------------------------------------- settling

  /** The replica has accepted a group of this epoch. Called in log order. */
  void accepted(LogEntry.Group entry, long lastPosition) {
    Group settled = null;
    lock.lock();
    try {
      if (failure() != null) {
        return; // its waiters have had an error, and know nothing
      }
      Group oldest = gathering.inFlight();
      if (oldest != null
          && oldest.firstPosition() == entry.firstPosition()
          && oldest.lastPosition() == lastPosition) {
        gathering.flushed();
        settled = oldest;
        long fromNanos = proposedNanos.remove();
        lease.extend(fromNanos);
        long nanos = statistics.nanos() - fromNanos;
        if (oldest.isEmpty()) {
          statistics.proven(oldest, nanos);
        } else {
          statistics.flushed(oldest, nanos, null);
        }
        appoint();
      }
    } finally {
      lock.unlock();
    }
    if (settled == null) {
      stop(new OwnershipLostException("A group of this node is missing in the log of the shard."));
    } else {
      settle(settled);
    }
  }

  private void settle(Group group) {
    for (DurabilityWaiter waiter : group.waiters()) {
      waiter.signal(DurabilityWaiter.Signal.SETTLED);
    }
    if (!group.callbacks().isEmpty() && group.handOver()) {
      notifier.execute(() -> front.callListeners(group));
    }
  }

  @Override
  public void fail(Throwable cause) {
    stop(cause);
  }

  /** Ends the epoch. */
  void stop(Throwable cause) {
    List<Group> groups = new ArrayList<>();
    lock.lock();
    try {
      JournalFailedException failed = failure.stop(durablePosition(), cause);
      groups.addAll(gathering.allInFlight());
      groups.add(gathering.group());
      groups.forEach(group -> group.failed(failed));
      roomChanged.signalAll();
    } finally {
      lock.unlock();
    }
    lease.end();
    failure.notifyListeners();
    groups.forEach(this::settle);
  }

  /** The log has the release of this epoch. It is the end of a journal that was closed before. */
  void released() {
    boolean isEnd;
    lock.lock();
    try {
      isEnd = front.isClosed() && lastPosition() == durablePosition();
    } finally {
      lock.unlock();
    }
    if (!isEnd) {
      stop(new OwnershipLostException("This node gave the shard up."));
    }
  }

  // ---------------------------------------------------------------- closing

  /** Refuses further appends, makes all records durable and gives the shard up. */
  void close() {
    if (!front.close()) {
      return;
    }
    if (failure() == null) {
      awaitDurable(lastPosition());
      lease.awaitWaited(); // the release says that no lease runs, of this owner or one before
      endProofs();
      failure.throwIfAny();
      lease.end();
      log.propose(new LogEntry.Release(epoch));
    }
  }

  /**
   * Waits for the proofs that are asked for, and lets no other one begin. A group that was proposed
   * after the release would be skipped, and the replies that wait for it would wait for ever.
   */
  private void endProofs() {
    DurabilityWaiter waiter = new DurabilityWaiter();
    boolean leads;
    lock.lock();
    try {
      failure.throwIfAny();
      releasing = true;
      if (!gathering.group().isDemanded()
          && gathering.allInFlight().stream().noneMatch(Group::isDemanded)) {
        return; // nobody waits
      }
      gathering.group().addWaiter(waiter); // groups are accepted in order: all before it are, then
      leads = claim();
    } finally {
      lock.unlock();
    }
    await(waiter, leads);
  }
}
