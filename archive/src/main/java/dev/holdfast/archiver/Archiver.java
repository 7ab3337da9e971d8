package dev.holdfast.archiver;

import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.ArchiveStatistics.State;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Archives the journal of a runtime in the background, and keeps segments from being dropped before
 * they are archived.
 *
 * <p>One thread talks to the store. Nothing else ever waits for it, but the close, and that only
 * for a time: a store that never answers costs one thread. Thread-safe.
 */
final class Archiver implements ArchiveProvider.Running {

  private static final System.Logger LOG = System.getLogger("dev.holdfast");

  /** To settle the files takes its time. */
  private static final Duration PURGE_WAITING_MAX = Duration.ofMinutes(1);

  /** The archive writes no record; the number is not that of any record. */
  private static final int VIEW_ID = 253;

  private final ArchiveOptions options;
  private final ShardEpoch epoch;
  private final Supplier<Duration> closeTimeout;
  private final JournalTail journal;
  private final TimeSource time;
  private final ArchiveWriter writer;
  private final long openedPosition;

  private final Semaphore due = new Semaphore(0);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean late = new AtomicBoolean();
  private final ReentrantLock heldLock = new ReentrantLock();
  private final Queue<Purge> purges = new ConcurrentLinkedQueue<>();

  /** When each purge was asked for that has not ended. */
  private final Queue<Long> askedNanos = new ConcurrentLinkedQueue<>();

  private final ArchiveProvider.Files files;
  private final Thread thread;

  private volatile boolean closing;
  private volatile boolean abandoned;

  /** The thread has done its last work; it may have been given up before. */
  private volatile boolean isIdle;

  /** What was reported; guarded by heldLock: the archive, the clock and the journal report. */
  private Held reported = Held.ALL;

  /** As the journal, or the clock, has found it last: health takes no lock of the journal. */
  private volatile Held held = Held.ALL;

  private volatile TimeSource.@Nullable Timer next;
  private volatile @Nullable Throwable failure;

  /** What the journal has of the records that are not archived. */
  private enum Held {
    /** All, and it keeps them. */
    ALL,
    /** All, and it may drop them. */
    TOO_MUCH,
    /** Not all any more. */
    NOT_ALL
  }

  /**
   * Creates the archiver. {@link #start} starts it.
   *
   * @param options where and how to archive
   * @param host what it needs
   */
  Archiver(ArchiveOptions options, ArchiveProvider.Host host) {
    this.options = options;
    this.epoch = host.epoch();
    this.closeTimeout = host.closeTimeout();
    this.journal = host.journal();
    this.files = host.files();
    this.time = host.time();
    this.writer =
        new ArchiveWriter(
            options,
            journal,
            time,
            new ArchiveWriter.Identity(host.owner(), time.wallMillis(), host.epoch(), host.host()),
            new BaseWriter.Host(
                host.files(),
                ArchiveFiles.hex(host.owner()),
                Archiver::copyOnAThread,
                () -> closing));
    this.openedPosition = journal.durablePosition();
    this.thread = Thread.ofPlatform().daemon().name("holdfast-archive").unstarted(this::work);
  }

  /** Begins to archive. */
  public void start() {
    thread.start();
    tick();
  }

  private static void copyOnAThread(Runnable copy) {
    Thread.ofPlatform().daemon().name("holdfast-archive-base").start(copy);
  }

  /** By the clock: also while the thread waits for the store. */
  private void tick() {
    reportLate();
    checkHeld(); // also while the journal has no need to ask
    due.release();
    next = time.schedule(nanosOf(options.interval()), this::tick);
    if (closing) {
      cancelNext();
    }
  }

  private void cancelNext() {
    TimeSource.Timer scheduled = next;
    if (scheduled != null) {
      scheduled.cancel();
    }
  }

  /** {@return a time in nanoseconds, at most a year} */
  static long nanosOf(Duration time) {
    return time.compareTo(Duration.ofDays(365)) > 0
        ? Duration.ofDays(365).toNanos()
        : time.toNanos();
  }

  // ---------------------------------------------------------------- the thread

  private void work() {
    try {
      boolean isLast;
      do {
        due.acquireUninterruptibly();
        due.drainPermits();
        isLast = closing; // before the journal is read: what is durable now is archived once more
        archive(isLast);
      } while (!isLast && !abandoned);
    } finally {
      isIdle = true;
      ended.countDown();
      failPurgesIfEnded();
      if (abandoned) {
        deleteCopies(/* isLast= */ true); // nobody else does
      }
    }
  }

  private void archive(boolean isLast) {
    State before = writer.state();
    boolean wasRestorable = before != State.GAP && writer.isRestorable();
    try {
      purges.forEach(purge -> writer.purgeBefore(purge.position()));
      writer.run(isLast);
      failure = null;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      failure = e; // the next call is a new attempt
    }
    endPurges();
    State now = writer.state();
    if (now != before && now == State.STOPPED) {
      log(LogEvent.ARCHIVE_STOPPED, "Nothing is archived any more. " + writer.reason() + ".", null);
    }
    if (now != before && now == State.GAP) {
      report(Held.NOT_ALL, writer.reason() + ".");
    }
    if (now == State.RUNNING) {
      reportProgress(before, wasRestorable);
    }
  }

  private void reportProgress(State before, boolean wasRestorable) {
    if (before == State.GAP) {
      endReport();
      log(LogEvent.ARCHIVE_RESTARTED, writer.restarted(), null);
    }
    if (before != State.STARTING && !wasRestorable && writer.isRestorable()) {
      log(
          LogEvent.ARCHIVE_RESUMED,
          "The base image of position "
              + writer.statistics().basePosition()
              + " is complete in "
              + options.store()
              + ": moments from it on can be restored.",
          null);
    }
    boolean isBelow = failure == null && checkHeld() == Held.ALL && endReport();
    boolean isInTime = writer.lagNanos() == 0 && late.getAndSet(false);
    if (isBelow || isInTime) {
      log(
          LogEvent.ARCHIVE_RESUMED,
          "Everything up to position " + writer.position() + " is archived.",
          null);
    }
  }

  // ---------------------------------------------------------------- purging

  /**
   * A purge that was asked for.
   *
   * @param position every moment before it is deleted
   * @param done completes with the position
   */
  private record Purge(long position, CompletableFuture<Long> done) {}

  @Override
  public CompletableFuture<Long> purge() {
    CompletableFuture<Long> done = new CompletableFuture<>();
    Long asked = time.monotonicNanos();
    askedNanos.add(asked);
    var _ = done.whenComplete((_, _) -> askedNanos.remove(asked));
    // All that was appended so far is archived by then, and no file needs it.
    var _ =
        files
            .settle()
            .get()
            .whenComplete(
                (position, cause) -> {
                  if (cause == null) {
                    purges.add(new Purge(position, done));
                    due.release();
                    failPurgesIfEnded();
                  } else {
                    done.completeExceptionally(cause);
                  }
                });
    return done;
  }

  private void endPurges() {
    long before = writer.purgedBefore();
    purges.removeIf(purge -> purge.position() <= before && purge.done().complete(purge.position()));
    failPurgesIfEnded();
  }

  private void failPurgesIfEnded() {
    String why = null;
    if (ended.getCount() == 0) {
      why = "The runtime was closed";
    } else if (writer.state() == State.STOPPED) {
      why = reason();
    }
    if (why != null) {
      ArchiveException failure =
          new ArchiveException(
              why + ". The archive in " + options.store() + " is not purged; repeat it", null);
      purges.removeIf(purge -> purge.done().completeExceptionally(failure));
    }
  }

  /** {@return for what a purge waits; null if none waits for long, or it makes its image} */
  private @Nullable HealthReason purgeWaiting() {
    long now = time.monotonicNanos();
    boolean isLong =
        askedNanos.stream().anyMatch(asked -> now - asked > PURGE_WAITING_MAX.toNanos());
    Throwable last = failure == null ? writer.imageFailure() : failure;
    boolean isSettled = !purges.isEmpty();
    if (!isLong || (isSettled && last == null)) {
      return null;
    }
    return degraded(
        HealthReason.PURGE_WAITS,
        "A purge of the archive in "
            + options.store()
            + " waits ("
            + (last == null || !isSettled
                ? "a consumer, a backup or another node needs what is older"
                : last.getMessage())
            + "). It goes on by itself.");
  }

  private void reportLate() {
    if (isLate() && late.compareAndSet(false, true)) {
      log(LogEvent.ARCHIVE_LATE, lateText(), failure);
    }
  }

  private boolean isLate() {
    State state = writer.state();
    return (state == State.STARTING || state == State.RUNNING)
        && writer.lagNanos() > nanosOf(options.lateMax());
  }

  private String lateText() {
    Throwable last = failure;
    return "What was acknowledged in the last "
        + Duration.ofNanos(writer.lagNanos()).toSeconds()
        + " s is not archived in "
        + options.store()
        + " ("
        + (last == null ? "the store is slow, or does not answer" : last.getMessage())
        + "). Calls are not affected. Check the store; archiving continues by itself.";
  }

  private static void log(LogEvent event, String text, @Nullable Throwable cause) {
    LOG.log(event.level(), event.line(text), cause);
  }

  // ---------------------------------------------------------------- what the engine asks

  @Override
  public ArchiveStatistics statistics() {
    return writer.statistics();
  }

  @Override
  public List<HealthReason> troubles() {
    return switch (writer.state()) {
      case STOPPED -> List.of(degraded(HealthReason.ARCHIVE_STOPPED, reason()));
      case GAP -> behind(degraded(HealthReason.ARCHIVE_GAP, writer.reason() + "."));
      case RUNNING ->
          writer.isRestorable()
              ? behind(null)
              : behind(degraded(HealthReason.ARCHIVE_RESTARTED, writer.restarted()));
      case NONE, STARTING -> behind(null);
    };
  }

  /** {@return a reason, if there is one, and whether the archive or a purge of it is late} */
  private List<HealthReason> behind(@Nullable HealthReason reason) {
    List<HealthReason> reasons = new ArrayList<>();
    if (reason != null) {
      reasons.add(reason);
    }
    Held now = held;
    if (now == Held.TOO_MUCH) {
      reasons.add(degraded(HealthReason.ARCHIVE_BOUND, boundText()));
    } else if (now == Held.NOT_ALL && reason == null) {
      reasons.add(degraded(HealthReason.ARCHIVE_GAP, droppedText()));
    }
    if (isLate()) {
      reasons.add(degraded(HealthReason.ARCHIVE_LATE, lateText()));
    }
    HealthReason waiting = purgeWaiting();
    if (waiting != null) {
      reasons.add(waiting);
    }
    return reasons;
  }

  private String reason() {
    return writer.reason() + ". Nothing is archived any more.";
  }

  private static HealthReason degraded(String code, String text) {
    return new HealthReason(code, HealthState.DEGRADED, text);
  }

  // ---------------------------------------------------------------- what the journal asks

  @Override
  public int viewId() {
    return VIEW_ID;
  }

  /** Nothing: the archive is brought up to date in the background. */
  @Override
  public void recover(RecoveryLog log) {}

  @Override
  public long lowWaterMark() {
    return Long.MAX_VALUE;
  }

  @Override
  public void checkpointBefore(long position) {}

  /**
   * The last archived record stays: by it the next runtime recognises that the archive is the one
   * of this journal.
   */
  @Override
  public long historyFloor() {
    State state = writer.state();
    long archived = lastArchived(state);
    if (checkHeld() != Held.ALL) {
      return Long.MAX_VALUE;
    }
    return state == State.STARTING ? 0 : archived;
  }

  /** {@return after which position the journal is kept for the archive} */
  private long lastArchived(State state) {
    return switch (state) {
      case STARTING -> openedPosition;
      case RUNNING -> writer.position();
      case GAP -> writer.baseFloor();
      case NONE, STOPPED -> Long.MAX_VALUE;
    };
  }

  @Override
  public long purgeFloor() {
    long floor = historyFloor(); // the last record that is archived, or the first that must be
    return floor == Long.MAX_VALUE || writer.state() == State.GAP ? floor : floor + 1;
  }

  /**
   * {@return what the journal has of what is not archived} Reported before the journal can drop
   * anything because of it, and also while the store does not answer.
   *
   * <p>Holds no lock while it asks the journal: that asks for the floor under the lock of its
   * history. So the archive may go on meanwhile; then the answer is old, and nothing is reported.
   */
  private Held checkHeld() {
    while (true) {
      long archived = lastArchived(writer.state());
      Held found = heldAfter(archived);
      String gapText = found == Held.NOT_ALL ? droppedText() : "";
      heldLock.lock();
      try {
        if (archived == lastArchived(writer.state())) {
          report(found, gapText);
          held = found;
          return found;
        }
      } finally {
        heldLock.unlock();
      }
    }
  }

  private Held heldAfter(long archived) {
    if (archived >= journal.durablePosition()) {
      return Held.ALL;
    }
    if (archived + 1 < journal.oldestPosition()) {
      return Held.NOT_ALL;
    }
    return journal.bytesFrom(archived) > options.lagBytesMax() ? Held.TOO_MUCH : Held.ALL;
  }

  /** Once, until the archive goes on. */
  private void report(Held found, String gapText) {
    heldLock.lock();
    try {
      if (reported == Held.ALL && found == Held.TOO_MUCH) {
        log(LogEvent.ARCHIVE_BOUND, boundText(), failure);
      } else if (reported != Held.NOT_ALL && found == Held.NOT_ALL) {
        log(LogEvent.ARCHIVE_GAP, gapText, failure);
      }
      reported = found.compareTo(reported) > 0 ? found : reported;
    } finally {
      heldLock.unlock();
    }
  }

  /** {@return whether anything was reported since this was last called} */
  private boolean endReport() {
    heldLock.lock();
    try {
      boolean was = reported != Held.ALL;
      reported = Held.ALL;
      return was;
    } finally {
      heldLock.unlock();
    }
  }

  private String boundText() {
    return "More than "
        + options.lagBytesMax()
        + " bytes of the journal are not archived in "
        + options.store()
        + ": from now on the journal drops what it does not need for itself, and the archive then"
        + " has a gap. Calls are not affected. Check the store; if it answers before, nothing is"
        + " missing in the archive.";
  }

  private String droppedText() {
    return "Records before "
        + journal.oldestPosition()
        + " were dropped from the journal before they were archived in "
        + options.store()
        + ": the archive has a gap, and goes on with a base image when the store answers. Calls are"
        + " not affected. Check the store.";
  }

  // ---------------------------------------------------------------- closing

  @Override
  public void close() {
    closing = true;
    cancelNext();
    due.release();
    Duration patience = closeTimeout.get();
    if (thread.isAlive()) {
      TimeSource.Timer timeout = time.schedule(nanosOf(patience), ended::countDown);
      awaitEnd();
      timeout.cancel();
      abandoned = true;
      thread.interrupt();
    }
    deleteCopies(isIdle || !thread.isAlive());
    options.store().close();
    if (patience.isZero() && !epoch.isNone()) {
      return; // the next owner of the shard goes on
    }
    long missing = journal.durablePosition() - writer.position();
    if (writer.state() == State.RUNNING && missing > 0) {
      log(
          LogEvent.ARCHIVE_LATE,
          "The last "
              + missing
              + " records are not archived in "
              + options.store()
              + ". They are archived when the runtime is opened again.",
          failure);
    }
  }

  private void deleteCopies(boolean isLast) {
    try {
      writer.close(isLast);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "The next opening deletes " + BaseWriter.DIRECTORY, e);
    }
  }

  private void awaitEnd() {
    boolean interrupted = false;
    while (true) {
      try {
        ended.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
