package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.member.ShardMembers;
import dev.holdfast.cluster.route.RoutingTable;
import dev.holdfast.cluster.route.ShardOwnership;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.status.OwnershipRecorder;
import dev.holdfast.cluster.status.ShardHealth;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.shard.LoneReplica;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.SealedSegments;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.journal.shard.ShardJournal;
import dev.holdfast.journal.shard.ShardReplica;
import dev.holdfast.log.ratis.RatisLog;
import dev.holdfast.runtime.PlannedClose;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A shard on this node: its copy, and its objects while this node owns it. Takes the shard when the
 * log says that it may, and gives its objects up when the ownership ends. Thread-safe.
 *
 * <p>Objects are opened and closed by one thread, one ownership after the other: two would use the
 * same files.
 */
final class NodeShard implements ShardHost.Owner, AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private static final long PASS_AGAIN_NANOS = 100_000_000;

  /** How long calls are waited for while the objects take no others, unless the node is closed. */
  private static final Duration MOVE_CLOSE_MAX = Duration.ofSeconds(2);

  /** A move may take this number of failovers after the objects were closed. */
  private static final int MOVE_RETRIES = 4;

  /** After this number of times a node that is drained takes the shard after all. */
  private static final int PASSED_ON_MAX = 3;

  /** After this number of claims without effect another node may lead. */
  private static final int CLAIMS_MAX = 8;

  private final int number;
  private final Parts parts;

  /** The copy of this node; null if it could not be opened. */
  private final @Nullable ShardReplica replica;

  /** Why the copy could not be opened; null if it could. */
  private final @Nullable RuntimeException unreadable;

  private final RatisLog log;
  private final Objects files;
  private final Rounds rounds;
  private final OwnershipRecorder ownerships;
  private final ExecutorService opener;

  private volatile boolean mayLead;
  private volatile boolean closing;

  /** Whether a copy was set aside and another one has not begun yet. */
  private volatile boolean isCopiedAgain;

  /** Whether this node passes the shard on when it may lead. */
  private volatile boolean draining;

  /**
   * Whether the objects could not be opened because a segment is damaged: another node is to have
   * the shard, and its segment.
   */
  private volatile boolean isDamaged;

  /** Why the objects could not be opened here: another node is to have the shard. Null if none. */
  private volatile @Nullable Throwable unopened;

  /** Confined to the opener: how often the shard was claimed without becoming the owner. */
  private int claims;

  /** Confined to the opener. */
  private TimeSource.@Nullable Timer nextClaim;

  /** Confined to the opener: how often the leadership was passed on since another node owned it. */
  private int passedOn;

  /**
   * Confined to the opener: how often a move looked for its end after the leadership was passed.
   */
  private long roundsWithoutLead;

  /** The planned move that is under way: no claim is made until it ends. */
  private final AtomicReference<@Nullable Move> move = new AtomicReference<>();

  /** Whether a planned move has closed the objects, and no other node has the shard yet. */
  private volatile boolean isMoving;

  /** The objects while they are closed: those that run may still call others of the shard. */
  private volatile @Nullable CompletableFuture<OwnedShard> ending;

  /** The objects that are open or being opened; null if this node does not own the shard. */
  private final AtomicReference<@Nullable CompletableFuture<OwnedShard>> objects =
      new AtomicReference<>();

  /** Confined to the opener until it has ended: must be closed before the next is opened. */
  private @Nullable Opened opened;

  /**
   * What a shard needs of its node.
   *
   * @param objectTime the time of objects and of their journal
   * @param open the shards that are open on the node
   * @param damaged called when another node has taken a shard that this one could not open because
   *     a segment is damaged
   * @param book records which nodes keep the shard
   * @param peers finds the nodes that are added
   * @param others gives the copies of a shard on other nodes
   * @param damagedSource is notified of a shard whose copy on another node gave a damaged segment
   * @param rounds when the files of a shard that another node owns are brought forward
   * @param lease how long this node may reply without a proof as an owner; zero if it never does
   * @param counters those of the node
   * @param retryNanos after how long a claim without effect is repeated
   */
  record Parts(
      NodeId self,
      TimeSource time,
      TimeSource objectTime,
      ExecutorService saver,
      ExecutorService proposer,
      ExecutorService notifier,
      RoutingTable table,
      OpenShards open,
      Consumer<NodeShard> damaged,
      MemberBook book,
      ShardMembers.Peers peers,
      IntFunction<ReplicaSource> others,
      IntConsumer damagedSource,
      Rounds.Limits rounds,
      Duration lease,
      NodeCounters counters,
      long retryNanos) {}

  /** The objects of a shard, as the node has them. */
  interface Objects {

    /** Opens them for an ownership. */
    ObjectRuntime open(ShardJournal journal);

    /**
     * {@return whether their files have all that was read of the shard, which another node owns;
     * null if there was nothing to do}
     */
    @Nullable Boolean follow(ShardReplica replica, long bytesMax);
  }

  /**
   * Objects that were opened.
   *
   * @param runtime has them
   * @param journal the ownership
   */
  private record Opened(ObjectRuntime runtime, ShardJournal journal) {}

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

  /**
   * @param log gives the log, and calls its argument when it stops
   * @param files opens the objects
   */
  NodeShard(
      int number,
      Path directory,
      JournalOptions options,
      Function<Consumer<RuntimeException>, RatisLog> log,
      Parts parts,
      Objects files) {
    this.number = number;
    this.parts = parts;
    this.files = files;
    this.log = log.apply(this::logStopped);
    this.ownerships = new OwnershipRecorder(number, parts.time(), parts.counters());
    this.opener =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("holdfast-shard-" + number).factory());
    ShardReplica found = null;
    RuntimeException failed = null;
    try {
      setAsideIfTakenBack(directory, options.disk());
      found =
          ShardReplica.open(
              directory,
              options,
              new ShardHost(
                  parts.self(),
                  parts.objectTime(),
                  parts.saver(),
                  parts.proposer(),
                  parts.notifier(),
                  this));
    } catch (DataDirectoryException | JournalCorruptException e) {
      failed = e;
    }
    this.replica = found;
    this.unreadable = failed;
    this.rounds =
        new Rounds(number, parts.rounds(), parts.time(), opener, this::behindBytes, this::follow);
    if (failed != null) {
      stopped(failed);
    }
  }

  /**
   * The copy has what no majority has. Its files are kept beside another copy: if the others have
   * lost what they had acknowledged, it is nowhere else.
   */
  private void setAsideIfTakenBack(Path directory, Disk disk) {
    OptionalLong entry = log.takenBack();
    if (entry.isEmpty()) {
      return;
    }
    String name = LoneReplica.SET_ASIDE_PREFIX + entry.getAsLong();
    LoneReplica.setAside(directory, disk, name, directory.resolve("log"));
    log.replicaIsSetAside();
    LOG.log(
        Level.WARNING,
        "The log of shard {0} has taken entry {1} back, which the copy of node {2} had. The copy is"
            + " set aside in {3}, and is made again from the copies of the other nodes. Delete that"
            + " directory when the shard has what it should.",
        number,
        entry.getAsLong(),
        parts.self(),
        directory.resolve(name));
  }

  /**
   * Takes part in the shard.
   *
   * @return why this node does not, though the others go on; null if it does, or will as soon as it
   *     has fetched a copy
   */
  @Nullable RuntimeException start() {
    ShardReplica copy = replica;
    if (copy == null) {
      return unreadable;
    }
    try {
      if (log.lacksReplica()) {
        isCopiedAgain = true;
        copyAgainLater(copy);
      } else {
        begin(copy);
      }
      return null;
    } catch (RuntimeException e) {
      copy.logStopped(e);
      return e;
    }
  }

  private void begin(ShardReplica copy) {
    copy.start(log);
    parts.book().follow(number, log::configuration);
    rounds.more(); // what no round had read when the node was stopped
  }

  /** Blocks in files and waits for other nodes: on a thread of its own. */
  private void copyAgainLater(ShardReplica copy) {
    Thread.ofPlatform().daemon().name("holdfast-shard-copy-" + number).start(() -> copyAgain(copy));
  }

  private void copyAgain(ShardReplica copy) {
    try {
      log.refill(copy);
      begin(copy);
      isCopiedAgain = false;
    } catch (RuntimeException e) {
      if (closing) {
        return;
      }
      if (copy.failure() != null || !log.lacksReplica()) {
        copy.logStopped(e);
        return;
      }
      LOG.log(
          Level.WARNING,
          () ->
              "The copy of shard "
                  + number
                  + " on node "
                  + parts.self()
                  + " could not be made again now; it is tried again.",
          e);
      parts.time().schedule(parts.retryNanos(), () -> copyAgainLater(copy));
    }
  }

  /** {@return the copy; null if it could not be opened, or has stopped} */
  private @Nullable ShardReplica working() {
    ShardReplica copy = replica;
    return copy == null || copy.failure() != null ? null : copy;
  }

  /** {@return why the copy does not work; null if it does} */
  private @Nullable RuntimeException failure() {
    ShardReplica copy = replica;
    return copy == null ? unreadable : copy.failure();
  }

  private long behindBytes() {
    ShardReplica copy = replica;
    return copy == null ? 0 : copy.behindBytes();
  }

  private boolean isCatchingUp() {
    ShardReplica copy = working();
    return copy != null && (isCopiedAgain || copy.isFetching());
  }

  /** {@return the first position that the files of the objects need; durable, and only rises} */
  long lowWaterMark() {
    ShardReplica copy = replica;
    return copy == null ? 0 : copy.lowWaterMark();
  }

  @Override
  public void configured(Configuration configuration) {
    try {
      parts.book().configured(number, configuration);
    } catch (DataDirectoryException e) {
      LOG.log(Level.WARNING, () -> "The members of shard " + number + " were not recorded.", e);
    }
  }

  /** {@return the objects, perhaps still being opened; null if this node does not own the shard} */
  @Nullable CompletableFuture<OwnedShard> objects() {
    return objects.get();
  }

  /**
   * {@return the objects, also while they are closed: for calls that objects of the shard make;
   * null if this node does not own the shard}
   */
  @Nullable CompletableFuture<OwnedShard> objectsOrEnding() {
    CompletableFuture<OwnedShard> here = objects.get();
    return here != null ? here : ending;
  }

  /** {@return the objects, if they are open; null if they are not, or are being opened} */
  @Nullable OwnedShard openObjects() {
    CompletableFuture<OwnedShard> here = objects.get();
    return here != null && here.isDone() && !here.isCompletedExceptionally()
        ? here.resultNow()
        : null;
  }

  /** {@return whether the shard has an owner, whose objects are open if it is this node} */
  boolean isReady() {
    Optional<ShardOwnership> owner = parts.table().ownerOf(number);
    if (owner.isEmpty()) {
      return false;
    }
    return owner.get().node().equals(parts.self()) ? openObjects() != null : objects.get() == null;
  }

  /** {@return whether the copy has stopped, so that this node hears of no owner by itself} */
  boolean hasStopped() {
    return failure() != null;
  }

  /** {@return the node that owns the shard, as far as this one knows; null if it knows none} */
  @Nullable NodeId owner() {
    return parts.table().ownerOf(number).map(ShardOwnership::node).orElse(null);
  }

  /** {@return its number} */
  int number() {
    return number;
  }

  /** {@return the segments that nothing is written to any more; null if there are none yet} */
  @Nullable SealedSegments sealed() {
    ShardReplica copy = working();
    return copy != null && copy.hasHistory() ? copy.sealed() : null;
  }

  /** {@return what this copy gives to those of other nodes; null if it has stopped} */
  @Nullable ReplicaSource source() {
    ShardReplica copy = working();
    return copy != null && !isCopiedAgain ? copy.source() : null;
  }

  /** All segments were checked: this node may have the shard again. */
  void checked() {
    if (isDamaged) {
      unopened = null;
    }
    isDamaged = false;
  }

  /** {@return why this node could not open the objects; null if it could, or has not tried} */
  @Nullable String unopened() {
    Throwable why = unopened;
    return why == null ? null : String.valueOf(why.getMessage());
  }

  ShardStatus status() {
    Optional<ShardOwnership> owner = parts.table().ownerOf(number);
    RuntimeException failure = failure();
    ShardReplica copy = replica;
    return new ShardStatus(
        number,
        owner.map(known -> known.node().name()).orElse(null),
        owner.map(ShardOwnership::epoch).orElse(0L),
        openObjects() != null,
        copy == null ? 0 : copy.lastPosition(),
        log.lag().stream().boxed().findFirst().orElse(null),
        restorableSince(),
        failure == null ? unopened() : failure.getMessage(),
        isCatchingUp(),
        parts.book().agreedVersion(number));
  }

  ShardHealth health() {
    RuntimeException failure = failure();
    return new ShardHealth(
        number,
        parts.table().ownerOf(number).isPresent(),
        failure == null ? null : failure.getMessage(),
        unopened(),
        isCatchingUp());
  }

  /**
   * Looks whether the log reaches all copies, as far as this node knows; to be called again and
   * again.
   *
   * @param isConnected whether a node is: that others are away is no news of a shard
   * @return what is wrong
   */
  Optional<HealthReason> unfed(Predicate<NodeId> isConnected) {
    if (working() == null || isCopiedAgain) {
      return Optional.empty();
    }
    List<String> unfed =
        log.unfed().stream().filter(isConnected).map(NodeId::name).sorted().toList();
    NodeId owner = owner();
    boolean isUnfed =
        owner != null
            && !owner.equals(parts.self())
            && isConnected.test(owner)
            && log.hearsNoLeader();
    if (unfed.isEmpty() && !isUnfed) {
      return Optional.empty();
    }
    return Optional.of(
        new HealthReason(
            HealthReason.SHARD_NOT_FED,
            HealthState.DEGRADED,
            "The log of shard "
                + number
                + " does not reach the copy of "
                + (isUnfed ? "this node" : "node " + String.join(", ", unfed))
                + ". Let the nodes reach the ports of each other's logs, one above the ports of"
                + " calls, and do not stop another node before this has ended."));
  }

  /** {@return how many entries the copy lacks that is furthest behind; 0 if that is not known} */
  long lagEntries() {
    return log.lag().orElse(0);
  }

  /** {@return about how much of the journal the files lack; 0 if this node owns the shard} */
  long lagBytes() {
    return isOwned() ? 0 : behindBytes();
  }

  private @Nullable Instant restorableSince() {
    ShardReplica copy = replica;
    if (copy == null || !copy.hasHistory()) {
      return null;
    }
    long oldest = copy.history().oldestWallMillis();
    return oldest == Long.MAX_VALUE ? null : Instant.ofEpochMilli(Math.max(0, oldest));
  }

  /** {@return whether a planned move is under way, which may still wait for what runs} */
  boolean isMoveUnderWay() {
    return move.get() != null;
  }

  /** {@return whether nobody takes calls now because the shard is moved from this node} */
  boolean isMoving() {
    return isMoving;
  }

  /** {@return whether this node owns the shard, or is about to open its objects} */
  boolean isOwned() {
    return objects.get() != null;
  }

  /** {@return whether another node owns the shard, as far as this copy has applied its log} */
  boolean isOwnedByAnother() {
    ShardReplica copy = replica;
    NodeId owner = copy == null ? owner() : copy.owner();
    return owner != null && !owner.equals(parts.self());
  }

  /**
   * From now on this node passes the shard on when it may lead. It takes it after all if nobody
   * else does: a shard without an owner is worse than a node that is not idle.
   */
  void drain() {
    draining = true;
  }

  /**
   * Moves the shard from this node to another: new calls wait, those that run end, and the other
   * node leads.
   *
   * @param to the other node; null for the one that lags least
   * @return the node that has taken the shard; a {@link ClusterException} if none has in time
   */
  CompletableFuture<NodeId> moveTo(@Nullable NodeId to) {
    Move begun = new Move(to, new CompletableFuture<>());
    beginLater(begun);
    return begun.done();
  }

  /** To be called again and again: objects that take no calls any more are opened elsewhere. */
  void leaveIfFailed() {
    OwnedShard open = openObjects();
    if (open != null && open.runtime() instanceof PlannedClose planned && planned.hasFailed()) {
      later(() -> leave(open));
    }
  }

  private void leave(OwnedShard failed) {
    CompletableFuture<OwnedShard> here = objects.get();
    if (!failed.equals(openObjects()) || move.get() != null) {
      return; // it has ended, or is about to
    }
    if (log.successor().isPresent()) {
      begin(new Move(null, new CompletableFuture<>()));
      return;
    }
    objects.compareAndSet(here, null); // no other node can take it: this one opens it again
    endObjects();
    claim();
  }

  private void beginLater(Move begun) {
    try {
      opener.execute(() -> begin(begun));
    } catch (RejectedExecutionException e) {
      begun.done().completeExceptionally(new RuntimeClosedException());
    }
  }

  // ---------------------------------------------------------------- told by the log

  /**
   * A member is connected. If it owns the shard, and was forgotten because a call to it was lost,
   * it is known again: otherwise the shard would have no owner here until another one opens it.
   */
  void present(NodeId other) {
    ShardReplica copy = working();
    ShardReplica.Owned owned = copy == null ? null : copy.owned();
    if (owned != null && other.equals(owned.node()) && parts.table().ownerOf(number).isEmpty()) {
      // Without effect if a later owner was known, of which this copy has not heard yet.
      parts.table().learn(number, new ShardOwnership(other, owned.epoch()));
    }
  }

  /** No owner is known from now on, unless its ownership is later than this epoch. */
  void forgetOwner(long epoch) {
    parts
        .table()
        .ownerOf(number)
        .filter(last -> last.epoch() <= epoch)
        .ifPresent(last -> parts.table().forget(number, last));
  }

  /** The other nodes do not let this one take part: its copy is not what it was. */
  void expel(ClusterException why) {
    logStopped(why);
  }

  /** The log has stopped, and with it this copy. */
  void logStopped(RuntimeException why) {
    ShardReplica copy = replica;
    if (copy != null) {
      copy.logStopped(why);
    }
  }

  @Override
  public ReplicaSource others() {
    return parts.others().apply(number);
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
    parts.damagedSource().accept(number);
  }

  @Override
  public Duration lease() {
    return parts.lease();
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
    isMoving = false;
    Move ended = move.getAndSet(null);
    if (ended != null) {
      ended.done().complete(node);
    }
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

  private void later(Runnable task) {
    try {
      opener.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.log(Level.DEBUG, "Shard {0} is closed.", number);
    }
  }

  private void claim() {
    ShardReplica copy = working();
    if (!mayLead || closing || objects.get() != null || copy == null) {
      claims = 0;
      return;
    }
    claimLater(); // first: the log may give the claim up without a word
    if (move.get() != null) {
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
      copy.claim();
    }
  }

  private void claimLater() {
    TimeSource.Timer last = nextClaim;
    if (last != null) {
      last.cancel();
    }
    nextClaim = parts.time().schedule(parts.retryNanos(), () -> later(this::claim));
  }

  private void begin(Move begun) {
    CompletableFuture<OwnedShard> here = objects.get();
    if (here != null && !here.isDone()) {
      beginLater(begun); // they are opened next
      return;
    }
    if (begun.to() == null ? log.successor().isEmpty() : here == null) {
      begun.fail(
          number,
          begun.to() == null
              ? "node " + parts.self() + " does not lead it, or hears of no other node."
              : "node " + parts.self() + " does not own it.");
      return;
    }
    if (!move.compareAndSet(null, begun)) {
      begun.fail(number, "another move is under way. Repeat this one when it has ended.");
      return;
    }
    roundsWithoutLead = 0;
    OwnedShard open = openObjects();
    if (open != null && open.runtime() instanceof PlannedClose planned) {
      long endNanos = parts.time().monotonicNanos() + planned.closeTimeout().toNanos();
      awaitRunning(begun, open, planned, planned.running(), endNanos);
    } else {
      closeAndPass(begun);
    }
  }

  /** What runs may take long: all objects of the shard take calls until it has ended. */
  private void awaitRunning(
      Move begun, OwnedShard open, PlannedClose planned, BooleanSupplier running, long endNanos) {
    if (!begun.equals(move.get())) {
      return;
    }
    if (!open.equals(openObjects())) {
      giveUp(begun); // the ownership was lost meanwhile
    } else if (!planned.hasFailed() // then they take no calls meanwhile
        && running.getAsBoolean()
        && endNanos - parts.time().monotonicNanos() > 0) {
      parts
          .time()
          .schedule(
              PASS_AGAIN_NANOS,
              () -> later(() -> awaitRunning(begun, open, planned, running, endNanos)));
    } else {
      planned.limitClose(MOVE_CLOSE_MAX); // what has begun since, or is too slow
      closeAndPass(begun);
    }
  }

  private void closeAndPass(Move begun) {
    CompletableFuture<OwnedShard> here = objects.get();
    isMoving = true;
    ending = here;
    OwnedShard open = openObjects();
    if (open != null) {
      open.journal().move();
    }
    objects.compareAndSet(here, null);
    closeObjects(); // what runs ends, everything is durable, and the log has the release
    ending = null;
    parts.time().schedule(MOVE_RETRIES * parts.retryNanos(), () -> later(() -> giveUp(begun)));
    pass(begun);
  }

  /** Passes the leadership on, until another node owns the shard. */
  private void pass(Move begun) {
    if (!begun.equals(move.get())) {
      return;
    }
    NodeId to = begun.to() != null ? begun.to() : log.successor().orElse(null);
    if (to != null) {
      log.transferTo(to); // without effect if the log is not ready for it, so it is repeated
    } else if (mayLead || ++roundsWithoutLead * PASS_AGAIN_NANOS > parts.retryNanos()) {
      giveUp(begun); // it hears of no other node, or no other one opens the shard
      return;
    }
    parts.time().schedule(PASS_AGAIN_NANOS, () -> later(() -> pass(begun)));
  }

  private void giveUp(Move begun) {
    if (move.compareAndSet(begun, null)) {
      isMoving = false;
      begun.fail(
          number,
          (begun.to() == null ? "no other node took" : "node " + begun.to() + " did not take")
              + " it in time. Check that the node runs and has caught up; this one takes the"
              + " shard again if it can.");
      rounds.more(); // none was begun meanwhile
      ownerships.lostOrGivenBack();
      claim();
    }
  }

  private void open(
      ShardJournal journal, OwnershipRecorder.Taken taken, CompletableFuture<OwnedShard> next) {
    endObjects();
    long begunNanos = parts.time().monotonicNanos();
    long openNanos;
    try {
      if (closing) {
        journal.close();
        throw new RuntimeClosedException();
      }
      ObjectRuntime runtime = files.open(journal);
      opened = new Opened(runtime, journal);
      openNanos = parts.time().monotonicNanos();
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
              runtime, journal, this::moveFromHere, new ShardMembers(number, log, parts.peers())));
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
    ShardReplica copy = working();
    if (closing
        || opened != null
        || objects.get() != null
        || copy == null
        // It would hold the opener, which passes the leadership on and gives the move up.
        || move.get() != null) {
      return Rounds.Outcome.NOTHING;
    }
    Boolean hasAll = files.follow(copy, bytesMax);
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

  /** For {@link OwnedShard}. */
  private String moveFromHere(NodeId to) {
    if (to.equals(parts.self())) {
      return to.name();
    }
    if (!parts.peers().isPresent(to)) {
      return ""; // first: from the close of the objects to the end of the attempt nobody owns them
    }
    try {
      return moveTo(to).join().name();
    } catch (CompletionException e) {
      LOG.log(Level.WARNING, () -> "A planned move of shard " + number + " failed.", e.getCause());
      return "";
    }
  }

  /**
   * Closes objects that take no calls any more, which nothing can keep open: a call that does not
   * end would let the shard wait for its next owner, which may be this node.
   */
  private void endObjects() {
    Opened last = opened;
    if (last != null && last.runtime() instanceof PlannedClose planned) {
      planned.limitClose(MOVE_CLOSE_MAX);
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

  /** Moves the shard to another node if one can take it, and ends this node's part in its log. */
  @Override
  public void close() {
    draining = true;
    try {
      moveTo(null).join();
    } catch (CompletionException e) {
      LOG.log(Level.DEBUG, () -> "Shard " + number + " was given up without a move.", e);
    }
    closing = true;
    later(
        () -> {
          objects.set(null);
          closeObjects();
        });
    opener.close();
    Move unfinished = move.getAndSet(null);
    if (unfinished != null) {
      unfinished.fail(number, "the node was closed."); // nothing else would end it
    }
    closeObjects(); // of an ownership that began meanwhile; the opener has ended
    log.close();
    ShardReplica copy = replica;
    if (copy != null) {
      copy.close();
    }
  }
}
