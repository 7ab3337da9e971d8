package dev.holdfast.cluster.shard;

import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.runtime.PlannedClose;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves a shard to another node, one move at a time: what runs ends, the objects are closed, and
 * the leadership of the log is passed on until the other node has opened the shard.
 *
 * <p>Confined to the opener of the shard, except for what is said to be thread-safe.
 */
final class PlannedMoves {

  private static final long PASS_AGAIN_NANOS = 100_000_000;

  /** How soon a look at what runs comes again at first; most calls end at once. */
  private static final long RUNNING_AGAIN_NANOS = 5_000_000;

  /** How long calls are waited for while the objects take no others, unless the node is closed. */
  static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  /** How long the other node may take to bring its files forward; the objects take calls. */
  static final long FORWARD_NANOS_MAX = 5_000_000_000L;

  /** A move may take this number of failovers after the objects were closed. */
  private static final int RETRIES = 4;

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final int number;
  private final NodeId self;
  private final TimeSource time;
  private final long retryNanos;
  private final Others others;
  private final Shard shard;

  /** The move that is under way. */
  private final AtomicReference<@Nullable Move> move = new AtomicReference<>();

  /** Whether the objects are closed, and no other node has the shard yet. */
  private volatile boolean isMoving;

  /** Whether the leadership was passed on while the objects were closed. */
  private boolean isPassed;

  /** How often a move looked for its end after the leadership was passed. */
  private long roundsWithoutLead;

  /** The other nodes that keep the shard. */
  interface Others {

    /** {@return whether a node is this one, or is connected} */
    boolean isPresent(NodeId node);

    /**
     * Has the node that is about to take the shard bring its files forward.
     *
     * @param ended called once that is done, or failed
     */
    void bringForward(NodeId node, Runnable ended);

    /** {@return the one that lags least; empty if this node does not lead, or hears of none} */
    Optional<NodeId> successor();

    /** Passes the leadership on, if the log is ready for it. */
    void transferTo(NodeId node);
  }

  /** What is moved. */
  interface Shard {

    /** {@return whether the opener runs a task: not if the shard is closed} */
    boolean later(Runnable task);

    /**
     * {@return the objects, perhaps still being opened; null if this node does not own the shard}
     */
    @Nullable CompletableFuture<?> objects();

    /** {@return the objects, if they are open} */
    @Nullable PlannedClose openObjects();

    /**
     * Closes the objects so that another node may own the shard.
     *
     * @param released called when the release was proposed, and before the files are closed; not if
     *     the objects are closed already
     */
    void closeForMove(Runnable released);

    /** {@return whether this node may lead, as far as it knows} */
    boolean mayLead();

    /** A move was given up: this node takes the shard again if it can. */
    void goOn();
  }

  /**
   * A planned move.
   *
   * @param to the node that is to have the shard; null for the one that lags least
   * @param done the node that has taken it
   */
  private record Move(@Nullable NodeId to, CompletableFuture<NodeId> done) {

    void fail(int shard, String why) {
      done.completeExceptionally(
          new ClusterException(
              ClusterException.Reason.NOT_MOVED,
              "Shard " + shard + " was not moved: " + why,
              null));
    }
  }

  PlannedMoves(
      int number, NodeId self, TimeSource time, long retryNanos, Others others, Shard shard) {
    this.number = number;
    this.self = self;
    this.time = time;
    this.retryNanos = retryNanos;
    this.others = others;
    this.shard = shard;
  }

  /** {@return the moves of a shard of a node} */
  static PlannedMoves of(int number, NodeParts parts, RatisLog log, Shard shard) {
    Others others =
        new Others() {
          @Override
          public boolean isPresent(NodeId node) {
            return parts.peers().isPresent(node);
          }

          @Override
          public void bringForward(NodeId node, Runnable ended) {
            Thread.ofVirtual()
                .name("holdfast-shard-move")
                .start(
                    () -> {
                      try {
                        parts.peers().bringForward(node, number);
                      } finally {
                        ended.run();
                      }
                    });
          }

          @Override
          public Optional<NodeId> successor() {
            return log.successor();
          }

          @Override
          public void transferTo(NodeId node) {
            log.transferTo(node);
          }
        };
    NodeParts.Times times = parts.times();
    return new PlannedMoves(number, parts.self(), times.node(), times.retryNanos(), others, shard);
  }

  /** {@return whether a move is under way, which may still wait for what runs} Thread-safe. */
  boolean isUnderWay() {
    return move.get() != null;
  }

  /** {@return whether nobody takes calls now because the shard is moved from here} Thread-safe. */
  boolean isMoving() {
    return isMoving;
  }

  /** Another node has the shard. Thread-safe. */
  void taken(NodeId node) {
    isMoving = false;
    Move ended = move.getAndSet(null);
    if (ended != null) {
      ended.done().complete(node);
    }
  }

  /** The opener has ended: nothing else would end a move. Thread-safe. */
  void close() {
    Move unfinished = move.getAndSet(null);
    if (unfinished != null) {
      unfinished.fail(number, "the node was closed.");
    }
  }

  /**
   * Begins a move. Thread-safe.
   *
   * @param to the node that is to have the shard; null for the one that lags least
   * @return the node that has taken the shard; a {@link ClusterException} if none has in time
   */
  CompletableFuture<NodeId> begin(@Nullable NodeId to) {
    Move begun = new Move(to, new CompletableFuture<>());
    beginLater(begun);
    return begun.done();
  }

  /** For {@link OwnedShard}. Thread-safe. */
  String moveFromHere(NodeId to) {
    if (to.equals(self)) {
      return to.name();
    }
    if (!others.isPresent(to)) {
      return ""; // first: from the close of the objects to the end of the attempt nobody owns them
    }
    try {
      return begin(to).join().name();
    } catch (CompletionException e) {
      LOG.log(Level.WARNING, () -> "A planned move of shard " + number + " failed.", e.getCause());
      return "";
    }
  }

  /** Begins a move to the node that lags least. */
  void beginNow() {
    begin(new Move(null, new CompletableFuture<>()));
  }

  private void beginLater(Move begun) {
    if (!shard.later(() -> begin(begun))) {
      begun.done().completeExceptionally(new RuntimeClosedException());
    }
  }

  private void begin(Move begun) {
    CompletableFuture<?> here = shard.objects();
    if (here != null && !here.isDone()) {
      beginLater(begun); // they are opened next
      return;
    }
    if (begun.to() == null ? others.successor().isEmpty() : here == null) {
      begun.fail(
          number,
          begun.to() == null
              ? "node " + self + " does not lead it, or hears of no other node."
              : "node " + self + " does not own it.");
      return;
    }
    if (!move.compareAndSet(null, begun)) {
      begun.fail(number, "another move is under way. Repeat this one when it has ended.");
      return;
    }
    roundsWithoutLead = 0;
    NodeId to = target(begun);
    PlannedClose open = shard.openObjects();
    if (open == null) {
      closeAndPass(begun);
    } else if (to == null || open.hasFailed()) {
      close(begun, open);
    } else {
      bringForward(to, begun, open);
    }
  }

  /**
   * What the other node has to redo holds up the calls of the shard, so it does most of it before,
   * while the objects take calls here.
   */
  private void bringForward(NodeId to, Move begun, PlannedClose open) {
    CompletableFuture<Void> forward = new CompletableFuture<>();
    var _ = forward.thenRun(() -> shard.later(() -> close(begun, open)));
    TimeSource.Timer limit = time.schedule(FORWARD_NANOS_MAX, () -> forward.complete(null));
    others.bringForward(
        to,
        () -> {
          limit.cancel();
          forward.complete(null);
        });
  }

  private void close(Move begun, PlannedClose open) {
    long endNanos = time.monotonicNanos() + open.closeTimeout().toNanos();
    awaitRunning(begun, open, open.running(), RUNNING_AGAIN_NANOS, endNanos);
  }

  private void again(long nanos, Runnable task) {
    time.schedule(nanos, () -> shard.later(task));
  }

  /** What runs may take long: all objects of the shard take calls until it has ended. */
  private void awaitRunning(
      Move begun, PlannedClose open, BooleanSupplier running, long pauseNanos, long endNanos) {
    if (!begun.equals(move.get())) {
      return;
    }
    if (!open.equals(shard.openObjects())) {
      giveUp(begun); // the ownership was lost meanwhile
    } else if (!open.hasFailed() // then they take no calls meanwhile
        && running.getAsBoolean()
        && endNanos - time.monotonicNanos() > 0) {
      again(
          pauseNanos,
          () ->
              awaitRunning(
                  begun, open, running, Math.min(2 * pauseNanos, PASS_AGAIN_NANOS), endNanos));
    } else {
      open.limitClose(CLOSE_MAX); // what has begun since, or is too slow
      closeAndPass(begun);
    }
  }

  private void closeAndPass(Move begun) {
    isMoving = true;
    isPassed = false;
    // What runs ends, everything is durable, and the release is proposed. Nobody waits for the
    // close of the files, which the other node does not have.
    shard.closeForMove(() -> passAtOnce(begun));
    time.schedule(RETRIES * retryNanos, () -> shard.later(() -> giveUp(begun)));
    if (isPassed) {
      again(PASS_AGAIN_NANOS, () -> pass(begun));
    } else {
      pass(begun);
    }
  }

  private void passAtOnce(Move begun) {
    NodeId to = target(begun);
    if (to != null) {
      isPassed = true;
      others.transferTo(to);
    }
  }

  /** Passes the leadership on, until another node owns the shard. */
  private void pass(Move begun) {
    if (!begun.equals(move.get())) {
      return;
    }
    NodeId to = target(begun);
    if (to != null) {
      others.transferTo(to); // without effect if the log is not ready for it, so it is repeated
    } else if (shard.mayLead() || ++roundsWithoutLead * PASS_AGAIN_NANOS > retryNanos) {
      giveUp(begun); // it hears of no other node, or no other one opens the shard
      return;
    }
    again(PASS_AGAIN_NANOS, () -> pass(begun));
  }

  private @Nullable NodeId target(Move begun) {
    return begun.to() != null ? begun.to() : others.successor().orElse(null);
  }

  private void giveUp(Move begun) {
    if (move.compareAndSet(begun, null)) {
      isMoving = false;
      begun.fail(
          number,
          (begun.to() == null ? "no other node took" : "node " + begun.to() + " did not take")
              + " it in time. Check that the node runs and has caught up; this one takes the"
              + " shard again if it can.");
      shard.goOn();
    }
  }
}
