package dev.holdfast.cluster.catchup;

import dev.holdfast.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;

/**
 * Decides when a copy of a shard, which another node owns, brings the files of its objects forward:
 * after enough of the journal, or some time after anything new. Without anything new it does
 * nothing. Thread-safe.
 */
public final class Rounds {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** How much rarer rounds become while they cannot save everything: by this power of two. */
  private static final int RARER_MAX = 6;

  /** What a round has done. */
  public enum Outcome {
    /** There was nothing to do, or this node owns the shard. */
    NOTHING,
    /** Everything that was read is saved. */
    SAVED,
    /** Something could not be saved: the next round reads it again. */
    HELD
  }

  /** Brings the files forward. */
  @FunctionalInterface
  public interface Round {

    /**
     * Runs a round, and blocks.
     *
     * @param bytesMax about how much it reads
     * @return what it has done
     */
    Outcome run(long bytesMax);
  }

  /**
   * When a round is due.
   *
   * @param bytes after this much of the journal; a round reads about as much
   * @param nanos or this long after anything new
   */
  public record Limits(long bytes, long nanos) {

    /** 64 MiB, or a minute. */
    public static final Limits DEFAULT = new Limits(64L << 20, 60_000_000_000L);
  }

  private final int shard;
  private final Limits limits;
  private final TimeSource time;
  private final Executor opener;
  private final LongSupplier behindBytes;
  private final Round round;

  // Guarded by this.
  private boolean isQueued;
  private boolean isTimerSet;
  private int rarer;

  /**
   * Creates the rounds of a copy; none is due.
   *
   * @param shard the number of the shard, for messages
   * @param limits when a round is due
   * @param time the timers
   * @param opener the thread that opens and closes the objects of the shard
   * @param behindBytes how much of the journal no round has read
   * @param round runs a round, on that thread
   */
  public Rounds(
      int shard,
      Limits limits,
      TimeSource time,
      Executor opener,
      LongSupplier behindBytes,
      Round round) {
    this.shard = shard;
    this.limits = limits;
    this.time = time;
    this.opener = opener;
    this.behindBytes = behindBytes;
    this.round = round;
  }

  /** The copy has more than before, or may have. Returns at once. */
  public synchronized void more() {
    if (behindBytes.getAsLong() >= limits.bytes() << rarer) {
      queue();
    } else if (!isTimerSet && !isQueued) {
      isTimerSet = true;
      time.schedule(limits.nanos() << rarer, this::onTimer);
    }
  }

  /**
   * Runs a round as soon as the opener can.
   *
   * @return when it has ended, whatever it has done
   */
  public CompletableFuture<Void> now() {
    try {
      return CompletableFuture.runAsync(this::run, opener);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(null); // the shard is closed
    }
  }

  private synchronized void onTimer() {
    isTimerSet = false;
    queue();
  }

  private void queue() {
    assert Thread.holdsLock(this);
    if (isQueued) {
      return;
    }
    try {
      isQueued = true;
      opener.execute(this::run);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "Shard {0} is closed.", shard);
    }
  }

  private void run() {
    synchronized (this) {
      isQueued = false;
    }
    Outcome outcome = Outcome.HELD;
    try {
      outcome = round.run(limits.bytes());
    } catch (RuntimeException e) {
      LOG.log(
          Level.WARNING,
          () ->
              "The files of the objects of shard "
                  + shard
                  + " on this node were not brought forward. The copy goes on, and this is tried"
                  + " again; until then a takeover by this node takes longer.",
          e);
    } finally {
      ended(outcome);
    }
  }

  private synchronized void ended(Outcome outcome) {
    rarer = outcome == Outcome.HELD ? Math.min(RARER_MAX, rarer + 1) : 0;
    // Without an outcome: as an owner it has nothing to do until something changes.
    if (outcome == Outcome.HELD || (outcome == Outcome.SAVED && behindBytes.getAsLong() > 0)) {
      more();
    }
  }
}
