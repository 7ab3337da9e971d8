package dev.holdfast.journal.shard;

import dev.holdfast.TimeSource;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.file.JournalBounds;
import dev.holdfast.journal.file.VoidRecord;
import dev.holdfast.journal.group.PendingRecord;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.LogEntry.Extent;
import dev.holdfast.journal.retention.Retention;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Purges, as the owner of a shard, the history of objects on all replicas: proposes an entry once
 * nothing needs the records any more, waits until this node's segments are without them, and then,
 * when the files of the objects here are erased, until every node that keeps the shard says that
 * nothing is left there. Purges that wait for nothing any more are one entry.
 *
 * <p>{@link #review} is called by one thread at a time; the rest is thread-safe.
 */
final class ShardPurge implements ShardHost.PurgedAnswer {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** An entry that was not accepted is proposed again after this time. */
  private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Other nodes are asked less often the longer they need. */
  private static final long ASK_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private static final long ASK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(200);

  /** A node that is only slower than the others is no trouble. */
  static final long WAITING_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

  /** The extents of an entry take about as much at most. */
  static final int ENTRY_BYTES = 256 << 10;

  private static final int FILLER_BYTES = 512 << 10;
  private static final int FILLERS = 2;

  /**
   * The log is filled only for members that keep up: it would grow, and help none that does not.
   */
  private static final long BEHIND_MAX = 100;

  private final Ports ports;
  private final TimeSource time;

  // Guarded by this.
  private final List<Request> waiting = new ArrayList<>();
  private final List<Elsewhere> elsewhere = new ArrayList<>();
  private final List<Settling> settling = new ArrayList<>();

  /** Whose records are gone here, and what their files had may not be. */
  private final Set<ObjectKey> unerased = new HashSet<>();

  private long unerasedNanos;

  private @Nullable Round round;
  private @Nullable RuntimeException failure;
  private boolean isAsking;
  private Map<NodeId, String> asked = Map.of();

  /** The log does not have the last fillers yet: it gives up what is too much. */
  private boolean isFilling;

  private long askedNanos;
  private long askAgainNanos = ASK_NANOS_MIN;
  private long beganNanos;
  private @Nullable String lacking;

  /**
   * What purges need.
   *
   * @param copiedFrom the first position that another node copies; the largest long if none does
   * @param own the last purge of which nothing is left on this node, as {@link
   *     ReplicaSource#purged} says it
   * @param reviewSoon lets {@link #review} be called
   */
  record Ports(
      ShardCommit commit,
      OwnedLog log,
      ShardHost host,
      ReplicaProgress progress,
      LongSupplier copiedFrom,
      LongSupplier own,
      LongSupplier salts,
      Runnable reviewSoon) {}

  private record Request(ObjectKey key, long upTo, CompletableFuture<Void> done) {}

  /** What waits for other nodes, until all have done a purge. */
  private record Elsewhere(long index, CompletableFuture<Void> done) {}

  /** An archive that waits until nothing needs what is before a segment. */
  private static final class Settling {
    final CompletableFuture<Long> done = new CompletableFuture<>();
    boolean isAsked;
    long segment;
  }

  /** Purges that are one entry. */
  private static final class Round {
    final List<Request> requests;
    long segment;
    boolean isDurable;
    LogEntry.@Nullable Purge entry;
    long proposedNanos;
    long index;

    Round(List<Request> requests) {
      this.requests = requests;
    }
  }

  ShardPurge(Ports ports) {
    this.ports = ports;
    this.time = ports.host().time();
    ports.commit().onFailure(this::fail);
  }

  // ---------------------------------------------------------------- asked for

  /** For {@link dev.holdfast.spi.Journal#purge}. */
  CompletableFuture<Void> purge(ObjectKey key, long upTo) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    if (ports.log().version() < LogEntry.VERSION_OF_PURGES) {
      done.completeExceptionally(
          new JournalFailedException(
              "Nodes of an earlier version cannot purge. The history is purged once all nodes are"
                  + " upgraded and the shard has moved.",
              null));
      return done;
    }
    synchronized (this) {
      if (failure != null) {
        done.completeExceptionally(failure);
        return done;
      }
      beginWaiting();
      waiting.add(new Request(key, upTo, done));
    }
    ports.reviewSoon().run();
    return done;
  }

  /** For {@link dev.holdfast.spi.Journal#whenPurgedElsewhere}. */
  CompletableFuture<Void> elsewhere(ObjectKey key) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    synchronized (this) {
      unerased.remove(key);
      if (failure != null) {
        done.completeExceptionally(failure);
        return done;
      }
      beginWaiting();
      elsewhere.add(new Elsewhere(ports.progress().durable().point().purges().done(), done));
      askAgainNanos = ASK_NANOS_MIN;
    }
    ports.reviewSoon().run();
    return done;
  }

  /**
   * Begins a segment, and waits until no view and no archive needs what is before it.
   *
   * @return completes with the first position of the segment
   */
  CompletableFuture<Long> settle() {
    Settling asked = new Settling();
    synchronized (this) {
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      settling.add(asked);
    }
    ports.reviewSoon().run();
    return asked.done;
  }

  private void beginWaiting() {
    assert Thread.holdsLock(this);
    if (waiting.isEmpty() && elsewhere.isEmpty() && round == null) {
      beganNanos = time.monotonicNanos();
      lacking = null;
    }
  }

  /**
   * {@return whether files of objects may have what their segments are without: they are not given
   * to another node}
   */
  synchronized boolean isErasing() {
    return !unerased.isEmpty();
  }

  /** The entry of a round is accepted. Called in log order. */
  synchronized void accepted(long index, LogEntry.Purge entry) {
    Round present = round;
    if (present != null && entry.equals(present.entry) && present.index == 0) {
      present.index = index;
    }
  }

  private void fail(RuntimeException cause) {
    List<CompletableFuture<?>> ended = new ArrayList<>();
    synchronized (this) {
      failure = cause;
      waiting.forEach(each -> ended.add(each.done()));
      elsewhere.forEach(each -> ended.add(each.done()));
      settling.forEach(each -> ended.add(each.done));
      if (round != null) {
        round.requests.forEach(each -> ended.add(each.done()));
      }
      waiting.clear();
      elsewhere.clear();
      settling.clear();
      round = null;
    }
    ended.forEach(each -> each.completeExceptionally(cause));
  }

  // ---------------------------------------------------------------- in the background

  /**
   * Does what is due.
   *
   * @return when to look again, in nanoseconds from now; {@link Retention#NEVER} if nothing waits
   */
  long review(List<JournalView> views) {
    settle(views);
    Round present;
    boolean asks;
    synchronized (this) {
      boolean isIdle = waiting.isEmpty() && elsewhere.isEmpty() && round == null;
      if (failure != null || isIdle) {
        return failure != null || settling.isEmpty()
            ? Retention.NEVER
            : JournalBounds.PURGE_LOOK_NANOS;
      }
      present = round;
      asks = !elsewhere.isEmpty();
    }
    if (present == null) {
      begin(views);
    } else {
      goOn(present);
    }
    if (asks) {
      ask();
    }
    return JournalBounds.PURGE_LOOK_NANOS;
  }

  private void begin(List<JournalView> views) {
    long last;
    synchronized (this) {
      last = waiting.stream().mapToLong(Request::upTo).max().orElse(0);
    }
    if (ports.copiedFrom().getAsLong() != Long.MAX_VALUE) {
      return; // from the entry on nothing is given, so what was copied would be of no use
    }
    long floor = floor(views, last);
    List<Request> released = new ArrayList<>();
    int bytes = 0;
    synchronized (this) {
      for (Request each : waiting) {
        if (each.upTo() < floor && bytes < ENTRY_BYTES) {
          released.add(each);
          bytes +=
              LogEntry.Purge.EXTENT_BYTES
                  + each.key().namespace().getBytes(StandardCharsets.UTF_8).length;
        }
      }
      if (released.isEmpty()) {
        return;
      }
      waiting.removeAll(released);
      round = new Round(released);
    }
    ports.commit().wantSegment();
  }

  /** {@return the first position that is needed; asks the views not to need a last one} */
  private long floor(List<JournalView> views, long last) {
    long floor = ports.progress().durable().lowWaterMark();
    if (floor <= last) {
      try {
        views.forEach(view -> view.checkpointBefore(last + 1));
      } catch (JournalFailedException e) {
        LOG.log(Level.DEBUG, "No checkpoint was written: the ownership ends.", e);
        return 0;
      }
    }
    for (JournalView view : views) {
      floor = Math.min(floor, view.purgeFloor());
    }
    return floor;
  }

  private void settle(List<JournalView> views) {
    List<Settling> present;
    synchronized (this) {
      present = List.copyOf(settling);
    }
    long begun = ports.commit().begun();
    boolean isWanted = false;
    boolean hasBegun = false;
    for (Settling each : present) {
      if (!each.isAsked) {
        each.isAsked = true;
        isWanted = true;
      } else if (each.segment == 0 && begun > 0) {
        each.segment = begun;
        hasBegun = true;
      }
    }
    try {
      if (hasBegun) {
        append(); // an image of the files from there on has a record of its own
      }
      if (isWanted) {
        ports.commit().wantSegment();
      }
    } catch (JournalFailedException e) {
      LOG.log(Level.DEBUG, "The ownership ends.", e);
    }
    long first = present.stream().mapToLong(each -> each.segment).max().orElse(0);
    if (first == 0) {
      return;
    }
    long durable = ports.commit().durablePosition(); // before it, no image may begin with it
    long floor = floor(views, first - 1);
    for (Settling each : present) {
      if (each.segment > 0 && each.segment <= Math.min(floor, durable)) {
        synchronized (this) {
          settling.remove(each);
        }
        each.done.complete(each.segment);
      }
    }
  }

  private void goOn(Round present) {
    if (present.segment == 0) {
      long begun = ports.commit().begun();
      if (begun == 0) {
        return;
      }
      present.segment = begun;
      long position = append();
      ports
          .commit()
          .whenDurable(
              position,
              failed -> {
                if (failed == null) {
                  durable(present);
                }
              });
      return;
    }
    boolean isLost;
    boolean isDone;
    synchronized (this) {
      isLost =
          present.isDurable
              && present.index == 0
              && time.monotonicNanos() - present.proposedNanos >= REPEAT_NANOS;
      isDone =
          present.index > 0 && ports.progress().durable().point().purges().done() >= present.index;
      if (isDone) {
        round = null;
        if (unerased.isEmpty()) {
          unerasedNanos = time.monotonicNanos();
        }
        present.requests.forEach(each -> unerased.add(each.key()));
      }
    }
    if (isLost) {
      durable(present);
    }
    if (isDone) {
      present.requests.forEach(each -> each.done().complete(null));
    }
  }

  /** A record that says nothing: it begins a segment, and gives other nodes something to read. */
  private long append() {
    return ports
        .commit()
        .append(
            PendingRecord.of(
                RecordKind.CHECKPOINT,
                RecordKind.VOID_VIEW,
                VoidRecord.NO_OBJECT,
                null,
                ByteBuffer.allocate(0),
                null));
  }

  private void durable(Round present) {
    LogEntry.Purge entry;
    synchronized (this) {
      entry = present.entry;
      if (entry == null) {
        entry =
            new LogEntry.Purge(
                ports.commit().epoch(),
                present.segment,
                ports.salts().getAsLong(),
                present.requests.stream()
                    .map(each -> new Extent(each.key(), each.upTo()))
                    .toList());
        present.entry = entry;
      }
      present.isDurable = true;
      present.proposedNanos = time.monotonicNanos();
    }
    ports.log().propose(entry);
  }

  // ---------------------------------------------------------------- other nodes

  private void ask() {
    Map<NodeId, String> members = ports.log().log().configuration().members();
    synchronized (this) {
      if (isAsking || time.monotonicNanos() - askedNanos < askAgainNanos) {
        return;
      }
      isAsking = true;
      asked = members;
      askedNanos = time.monotonicNanos();
      askAgainNanos = Math.min(2 * askAgainNanos, ASK_NANOS_MAX);
    }
    Set<NodeId> others = new HashSet<>(members.keySet());
    others.remove(ports.host().node());
    ports.host().owner().askPurged(others, this);
  }

  @Override
  public void said(long done, long segments, @Nullable NodeId last) {
    Map<NodeId, String> askedOf;
    synchronized (this) {
      isAsking = false; // whatever fails
      askedOf = asked;
    }
    long own = ports.own().getAsLong();
    // A node that is being added may have got records from before the purge, and is not asked yet.
    boolean isChanging =
        ports.log().log().isChanging()
            || !ports.log().log().configuration().members().equals(askedOf);
    long allDone = isChanging ? 0 : Math.min(done, Math.max(0, own));
    long allSegments = Math.min(segments, Math.abs(own));
    List<Elsewhere> ended = new ArrayList<>();
    boolean areFed = areFed();
    boolean isFilled;
    boolean isNext;
    synchronized (this) {
      elsewhere.stream().filter(each -> each.index() <= allDone).forEach(ended::add);
      elsewhere.removeAll(ended);
      long wanted = elsewhere.stream().mapToLong(Elsewhere::index).max().orElse(0);
      isNext = wanted > allSegments;
      isFilled = !isNext && wanted > allDone && !isChanging && !isFilling && areFed;
      if (isFilled) {
        askAgainNanos = ASK_NANOS_MIN;
        isFilling = true;
      }
      lacking =
          isChanging
              ? "The nodes that keep the shard are being changed."
              : last == null || done >= wanted
                  ? "This node has not done it yet."
                  : areFed
                      ? "Node " + last + " has not done it yet; its health or its log says why."
                      : "The log does not reach all nodes that keep the shard.";
    }
    ended.forEach(each -> each.done().complete(null));
    try {
      if (isNext) {
        append();
      } else if (isFilled) {
        fill();
      }
    } catch (JournalFailedException e) {
      LOG.log(Level.DEBUG, "The ownership ends.", e);
    }
  }

  private boolean areFed() {
    OptionalLong held = ports.log().log().heldByAll();
    return held.isPresent() && ports.progress().applied().index() - held.getAsLong() <= BEHIND_MAX;
  }

  private void fill() {
    for (int i = 0; i < FILLERS; i++) {
      ports.log().propose(new LogEntry.Filler(ports.commit().epoch(), FILLER_BYTES));
    }
    ports.commit().whenDurable(append(), _ -> filled()); // the log has it after them
  }

  private synchronized void filled() {
    isFilling = false;
  }

  @Override
  public synchronized void failed(RuntimeException why) {
    isAsking = false;
    lacking = String.valueOf(why.getMessage());
  }

  /** {@return that a purge waits; empty if none waits for long} */
  synchronized List<HealthReason> troubles() {
    long now = time.monotonicNanos();
    List<HealthReason> troubles = new ArrayList<>();
    if (!unerased.isEmpty() && now - unerasedNanos >= WAITING_NANOS_MAX) {
      troubles.add(
          waits(
              "The files of "
                  + unerased.size()
                  + " objects on this node may have what was purged from their history, as of "
                  + unerased.iterator().next()
                  + ": erasing it has failed or takes long. Until it is done no other node gets"
                  + " copies of the files. Look at the disk, and purge again or transfer the"
                  + " shard."));
    }
    if (!elsewhere.isEmpty() && now - beganNanos >= WAITING_NANOS_MAX) {
      troubles.add(
          waits(
              "What was purged from the history of objects is not yet gone from every node that"
                  + " keeps the shard: "
                  + lacking
                  + " Start the node, or remove or replace it: then the purge ends."));
    }
    return troubles;
  }

  private static HealthReason waits(String text) {
    return new HealthReason(HealthReason.PURGE_WAITS, HealthState.DEGRADED, text);
  }
}
