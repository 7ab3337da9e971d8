package dev.holdfast.cluster.shard;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.status.OwnershipRecorder;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.SealedSegments;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.runtime.PlannedClose;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A shard that this node keeps: its copy, and its objects while this node owns it. Takes the shard
 * when the log says that it may, and gives its objects up when the ownership ends. Thread-safe.
 *
 * <p>Objects are opened and closed by one thread, one ownership after the other: two would use the
 * same files.
 */
public final class KeptShard implements NodeShard, ShardHost.Owner {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** After this number of times a node that is drained takes the shard after all. */
  private static final int PASSED_ON_MAX = 3;

  /** A copy that lacks no more entries has caught up, while others are written. */
  private static final int BEHIND_ENTRIES_MAX = 100;

  /** After this number of claims without effect another node may lead. */
  private static final int CLAIMS_MAX = 8;

  private final int number;
  private final NodeParts parts;
  private final TimeSource time;
  private final ShardCopy copy;
  private final RatisLog log;
  private final ShardObjects files;
  private final Rounds rounds;
  private final OwnershipRecorder ownerships;
  private final PlannedMoves moves;
  private final KeptReport report;
  private final ExecutorService opener;

  private volatile boolean mayLead;
  private volatile boolean closing;

  /** Whether this node passes the shard on when it may lead. */
  private volatile boolean draining;

  /** Whether a segment is damaged: another node is to have the shard, and its segment. */
  private volatile boolean isDamaged;

  /** Why the objects could not be opened here: another node is to have the shard. Null if none. */
  private volatile @Nullable Throwable unopened;

  /** Confined to the opener: how often the shard was claimed without becoming the owner. */
  private int claims;

  private TimeSource.@Nullable Timer nextClaim; // confined to the opener

  /** Confined to the opener: how often the leadership was passed on since another node owned it. */
  private int passedOn;

  /** The objects while they are closed: those that run may still call others of the shard. */
  private volatile @Nullable CompletableFuture<OwnedShard> ending;

  /** The objects that are open or being opened; null if this node does not own the shard. */
  private final AtomicReference<@Nullable CompletableFuture<OwnedShard>> objects =
      new AtomicReference<>();

  /** Confined to the opener until it has ended: must be closed before the next is opened. */
  private @Nullable Opened opened;

  /** Objects that were opened, and the ownership. */
  private record Opened(ObjectRuntime runtime, ShardJournal journal) {}

  /**
   * Creates it with its copy, which does not take part yet; see {@link #start}.
   *
   * @param number its number
   * @param directory the directory of the shard
   * @param options of its journal
   * @param log gives the log, and calls its argument when it stops
   * @param parts what the shards of the node share
   * @param files opens the objects
   */
  public KeptShard(
      int number,
      Path directory,
      JournalOptions options,
      Function<Consumer<RuntimeException>, RatisLog> log,
      NodeParts parts,
      ShardObjects files) {
    this.number = number;
    this.parts = parts;
    this.files = files;
    this.log = log.apply(this::logStopped);
    this.time = parts.times().node();
    this.ownerships = new OwnershipRecorder(number, time, parts.counters());
    this.opener = NodeParts.Threads.ofShard(number);
    this.copy = new ShardCopy(number, directory, options, this.log, parts, this, this::copyBegun);
    this.rounds =
        new Rounds(
            number,
            parts.rounds(),
            time,
            opener,
            () -> copy.toRead(parts.rounds().bytes()),
            this::follow);
    this.moves = PlannedMoves.of(number, parts, this.log, new Moved());
    this.report = new KeptReport(this, parts, this.log, copy);
    RuntimeException failed = copy.failure();
    if (failed != null) {
      stopped(failed);
    }
  }

  @Override
  public @Nullable RuntimeException start() {
    return copy.start();
  }

  private void copyBegun() {
    rounds.more(); // what no round had read when the node was stopped
  }

  /** {@return the first position that the files of the objects need; durable, and only rises} */
  public long lowWaterMark() {
    return copy.lowWaterMark();
  }

  @Override
  public void configured(Configuration configuration) {
    try {
      parts.book().configured(number, configuration);
    } catch (DataDirectoryException e) {
      LOG.log(Level.WARNING, () -> "The members of shard " + number + " were not recorded.", e);
    }
  }

  @Override
  public @Nullable CompletableFuture<OwnedShard> objects() {
    return objects.get();
  }

  @Override
  public @Nullable CompletableFuture<OwnedShard> objectsOrEnding() {
    CompletableFuture<OwnedShard> here = objects.get();
    return here != null ? here : ending;
  }

  @Override
  public @Nullable OwnedShard openObjects() {
    CompletableFuture<OwnedShard> here = objects.get();
    return here != null && here.isDone() && !here.isCompletedExceptionally()
        ? here.resultNow()
        : null;
  }

  @Override
  public boolean isReady() {
    NodeId owner = owner();
    boolean isOpen = parts.self().equals(owner) ? openObjects() != null : objects.get() == null;
    return hasStopped() || (owner != null && isOpen);
  }

  /** {@return whether the copy does not work any more} */
  public boolean hasStopped() {
    return copy.failure() != null;
  }

  @Override
  public Optional<ShardOwnership> ownership() {
    return parts.table().ownerOf(number);
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public @Nullable SealedSegments sealed() {
    return copy.sealed();
  }

  @Override
  public @Nullable ReplicaSource source() {
    return copy.source();
  }

  @Override
  public void checked() {
    if (isDamaged) {
      unopened = null;
    }
    isDamaged = false;
  }

  /** {@return which nodes keep the log, as its last entry about that says, agreed or not} */
  public Configuration newestConfiguration() {
    return log.configuration();
  }

  /** {@return why this node could not open the objects; null if it could, or has not tried} */
  public @Nullable String unopened() {
    Throwable why = unopened;
    return why == null ? null : String.valueOf(why.getMessage());
  }

  @Override
  public ShardReport report() {
    return report;
  }

  @Override
  public boolean isMoveUnderWay() {
    return moves.isUnderWay();
  }

  @Override
  public boolean isMoving() {
    return moves.isMoving();
  }

  @Override
  public boolean isOwned() {
    return objects.get() != null;
  }

  @Override
  public boolean isOwnedByAnother() {
    ShardReplica known = copy.replica();
    NodeId owner = known == null ? owner() : known.owner();
    return owner != null && !owner.equals(parts.self());
  }

  @Override
  public void drain() {
    draining = true;
  }

  @Override
  public CompletableFuture<NodeId> moveTo(@Nullable NodeId to) {
    return moves.begin(to);
  }

  @Override
  public void leaveIfFailed() {
    OwnedShard open = openObjects();
    if (open != null && open.runtime() instanceof PlannedClose planned && planned.hasFailed()) {
      later(() -> leave(open));
    }
  }

  private void leave(OwnedShard failed) {
    CompletableFuture<OwnedShard> here = objects.get();
    if (!failed.equals(openObjects()) || moves.isUnderWay()) {
      return; // it has ended, or is about to
    }
    if (log.successor().isPresent()) {
      moves.beginNow();
      return;
    }
    objects.compareAndSet(here, null); // no other node can take it: this one opens it again
    endObjects();
    claim();
  }

  /** {@return when the files of the objects were brought forward, for a planned move to here} */
  public CompletableFuture<Void> bringForward() {
    return rounds.now().thenCompose(_ -> rounds.now()); // what was written during the first
  }

  // ---------------------------------------------------------------- told by the log

  @Override
  public void present(NodeId other) {
    ShardReplica.Owned owned = copy.owned();
    if (owned != null && other.equals(owned.node()) && parts.table().ownerOf(number).isEmpty()) {
      // Without effect if a later owner was known, of which this copy has not heard yet.
      parts.table().learn(number, new ShardOwnership(other, owned.epoch()));
    }
  }

  /**
   * No owner is known from now on, unless its ownership is later than this epoch.
   *
   * @param epoch the last that is forgotten
   */
  public void forgetOwner(long epoch) {
    parts
        .table()
        .ownerOf(number)
        .filter(last -> last.epoch() <= epoch)
        .ifPresent(last -> parts.table().forget(number, last));
  }

  @Override
  public void expel(ClusterException why) {
    logStopped(why);
  }

  /**
   * The log has stopped, and with it this copy.
   *
   * @param why it has stopped
   */
  public void logStopped(RuntimeException why) {
    copy.logStopped(why);
  }

  @Override
  public ReplicaSource others() {
    return parts.copies().others().apply(number);
  }

  @Override
  public void askPurged(Collection<NodeId> nodes, ShardHost.PurgedAnswer answer) {
    parts.copies().purged().ask(number, nodes, answer);
  }

  @Override
  public void whileClosed(Runnable task) {
    CompletableFuture<Void> done;
    try {
      done =
          CompletableFuture.runAsync(
              () -> {
                endObjects();
                task.run();
              },
              opener);
    } catch (RejectedExecutionException e) {
      throw new RuntimeClosedException();
    }
    try {
      done.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException failed -> throw failed;
        case Error failed -> throw failed;
        case null, default -> throw e;
      }
    }
  }

  @Override
  public int newestVersion() {
    return parts.book().newestEntries();
  }

  @Override
  public int versionToAgree() {
    return parts.book().versionToAgree(number);
  }

  /** Before the entry counts as applied: it is said again if that was not recorded. */
  @Override
  public void agreed(int version) {
    parts.book().agreedVersion(number, version);
  }

  @Override
  public void fetchedDamage() {
    parts.copies().damagedSource().accept(number);
  }

  @Override
  public Duration lease() {
    return parts.times().lease();
  }

  @Override
  public void saved() {
    if (objects.get() == null) {
      rounds.more();
    }
  }

  @Override
  public void stopped(RuntimeException why) {
    mayLead = false;
    // Another node will own it, of which this copy does not hear: others say where it is.
    parts.table().forget(number, parts.self());
    LOG.log(
        Level.ERROR,
        () ->
            "The copy of shard "
                + number
                + " on node "
                + parts.self()
                + " has stopped; the other nodes go on. Open this node again once the reason is"
                + " gone.",
        why);
  }

  @Override
  public void mayLead(boolean yes) {
    mayLead = yes;
    ownerships.mayLead(yes);
    if (yes) {
      later(this::claim);
    }
  }

  @Override
  public void owned(@Nullable NodeId node, long epoch) {
    if (node == null || node.equals(parts.self())) {
      // This node names itself only from `owns` on: the entry may be of an earlier run, and the
      // next owner may be long known to other nodes.
      forgetOwner(epoch);
      return;
    }
    parts.table().learn(number, new ShardOwnership(node, epoch));
    later(() -> passedOn = 0);
    moves.taken(node);
    if (isDamaged) {
      parts.damaged().accept(this);
    }
  }

  @Override
  public void owns(ShardJournal journal) {
    OwnershipRecorder.Taken taken = ownerships.owns();
    CompletableFuture<OwnedShard> next = new CompletableFuture<>();
    objects.set(next);
    parts.table().learn(number, new ShardOwnership(parts.self(), journal.epoch()));
    journal.onFailure(failure -> lost(next, journal, failure));
    later(() -> open(journal, taken, next));
  }

  /** Called on the thread that met the failure, which may hold locks. */
  private void lost(
      CompletableFuture<OwnedShard> owned, ShardJournal journal, RuntimeException failure) {
    ownerships.lostOrGivenBack();
    objects.compareAndSet(owned, null);
    owned.completeExceptionally(failure);
    // Another node may know the next owner.
    parts.table().forget(number, new ShardOwnership(parts.self(), journal.epoch()));
    later(
        () -> {
          if (opened != null && opened.journal() == journal) { // else a later one was opened
            endObjects();
          }
          claim();
        });
  }

  // ---------------------------------------------------------------- on the opener

  /** {@return whether the task will run: not if the shard is closed} */
  private boolean later(Runnable task) {
    try {
      opener.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "Shard {0} is closed.", number);
      return false;
    }
  }

  private void claim() {
    ShardReplica replica = copy.working();
    if (!mayLead || closing || objects.get() != null || replica == null) {
      claims = 0;
      return;
    }
    claimLater(); // first: the log may give the claim up without a word
    if (moves.isUnderWay()) {
      return;
    }
    if (++claims > CLAIMS_MAX) {
      claims = 0;
      log.stepDown(); // it leads, and takes nothing
      return;
    }
    Optional<NodeId> other = draining || unopened != null ? log.successor() : Optional.empty();
    if (other.isPresent() && passedOn < PASSED_ON_MAX) {
      passedOn++;
      log.transferTo(other.get());
    } else {
      replica.claim();
    }
  }

  private void claimLater() {
    TimeSource.Timer last = nextClaim;
    if (last != null) {
      last.cancel();
    }
    nextClaim = time.schedule(parts.times().retryNanos(), () -> later(this::claim));
  }

  /** The shard as a planned move sees it. */
  private final class Moved implements PlannedMoves.Shard {

    @Override
    public boolean later(Runnable task) {
      return KeptShard.this.later(task);
    }

    @Override
    public @Nullable CompletableFuture<OwnedShard> objects() {
      return objects.get();
    }

    @Override
    public @Nullable PlannedClose openObjects() {
      OwnedShard open = KeptShard.this.openObjects();
      return open != null && open.runtime() instanceof PlannedClose planned ? planned : null;
    }

    @Override
    public void closeForMove(Runnable released) {
      CompletableFuture<OwnedShard> here = objects.get();
      ending = here;
      OwnedShard open = KeptShard.this.openObjects();
      if (open != null) {
        open.journal().move(released);
      }
      objects.compareAndSet(here, null);
      closeObjects();
      ending = null;
    }

    @Override
    public boolean mayLead() {
      return mayLead;
    }

    @Override
    public void goOn() {
      rounds.more(); // none was begun meanwhile
      ownerships.lostOrGivenBack();
      claim();
    }
  }

  private void open(
      ShardJournal journal, OwnershipRecorder.Taken taken, CompletableFuture<OwnedShard> next) {
    endObjects();
    long begunNanos = time.monotonicNanos();
    long openNanos;
    try {
      if (closing) {
        journal.close();
        throw new RuntimeClosedException();
      }
      ObjectRuntime runtime = files.open(journal);
      opened = new Opened(runtime, journal);
      openNanos = time.monotonicNanos();
      isDamaged = false;
      unopened = null;
      LOG.log(
          LogEvent.OWNERSHIP_BEGAN.level(),
          () ->
              LogEvent.OWNERSHIP_BEGAN.line(
                  "Node "
                      + parts.self()
                      + " owns shard "
                      + number
                      + " since epoch "
                      + journal.epoch()
                      + ", and takes its calls."));
      parts.open().opened(number, runtime);
      next.complete(
          new OwnedShard(
              runtime,
              journal,
              moves::moveFromHere,
              new ShardMembers(number, log, parts.peers(), () -> log.behind(BEHIND_ENTRIES_MAX))));
    } catch (RuntimeClosedException e) {
      objects.compareAndSet(next, null);
      next.completeExceptionally(e);
      return;
    } catch (RuntimeException | Error e) {
      objects.compareAndSet(next, null);
      isDamaged = isDamage(e);
      unopened = isEndOfOwnership(e) ? null : e;
      passedOn = 0; // the others may have caught up since
      next.completeExceptionally(e);
      LOG.log(
          Level.ERROR,
          () ->
              "Node "
                  + parts.self()
                  + " cannot open the objects of shard "
                  + number
                  + (unopened == null ? "." : "; another node is to take it."),
          e);
      claimLater();
      return;
    }
    ownerships.opened(taken, journal.epoch(), openNanos, openNanos - begunNanos);
  }

  private Rounds.Outcome follow(long bytesMax) {
    ShardReplica replica = copy.working();
    if (closing
        || mayLead // it is opened next
        || opened != null
        || objects.get() != null
        || replica == null
        // It would hold the opener, which passes the leadership on and gives the move up.
        || moves.isUnderWay()) {
      return Rounds.Outcome.NOTHING;
    }
    Boolean hasAll = files.follow(replica, bytesMax);
    return hasAll == null
        ? Rounds.Outcome.NOTHING
        : hasAll ? Rounds.Outcome.SAVED : Rounds.Outcome.HELD;
  }

  /** Another node has the shard then, or will have. */
  private static boolean isEndOfOwnership(Throwable failure) {
    return failure instanceof JournalFailedException;
  }

  private static boolean isDamage(Throwable failure) {
    return failure instanceof JournalCorruptException
        || (failure.getCause() != null && isDamage(failure.getCause()));
  }

  /**
   * Closes objects that take no calls any more, which nothing can keep open: a call that does not
   * end would let the shard wait for its next owner, which may be this node.
   */
  private void endObjects() {
    Opened last = opened;
    if (last != null && last.runtime() instanceof PlannedClose planned) {
      planned.limitClose(PlannedMoves.CLOSE_MAX);
    }
    closeObjects();
  }

  private void closeObjects() {
    Opened last = opened;
    opened = null;
    if (last != null) {
      ownerships.ended(last.journal().epoch(), last.journal().failure());
      parts.open().closing(number);
      try {
        last.runtime().close();
      } catch (RuntimeException | Error e) {
        LOG.log(Level.DEBUG, () -> "The objects of shard " + number + " were given up.", e);
      }
    }
  }

  @Override
  public void close() {
    draining = true;
    try {
      moveTo(null).join();
    } catch (CompletionException e) {
      LOG.log(Level.DEBUG, () -> "Shard " + number + " was given up without a move.", e);
    }
    closing = true;
    copy.closeSoon();
    later(
        () -> {
          objects.set(null);
          closeObjects();
        });
    opener.close();
    moves.close();
    closeObjects(); // of an ownership that began meanwhile; the opener has ended
    log.close();
    copy.close();
  }
}
