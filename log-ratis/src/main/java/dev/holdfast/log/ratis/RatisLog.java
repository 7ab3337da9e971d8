package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.log.ratis.threads.EventThread;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/**
 * The log of one shard on one node, as a Raft group of Ratis.
 *
 * <p>Entries that the others have dropped are fetched by the replica; the log goes on after them.
 *
 * <p>What only this node suffers stops it for good: an error of the replica or of the log's disk.
 * It then takes no part in the shard any more, so that another node leads. It can be closed and the
 * shard opened again.
 *
 * <p>An entry that was refused may be followed by one that was not: the queues of Ratis may have
 * room again. Thread-safe.
 */
public final class RatisLog implements ReplicatedLog {

  /** The place of no entry: before the first one, which has the index 0. */
  static final long NONE = RaftLog.INVALID_LOG_INDEX;

  /** The first entry of a log names its members, so this is the first one of a replica. */
  static final long FIRST_OF_REPLICAS = RaftLog.LEAST_VALID_LOG_INDEX + 1;

  private final RatisNode node;
  private final int shard;
  private final Map<NodeId, InetSocketAddress> first;
  private final boolean mustExist;
  private final LogFiles files;
  private final Compaction compaction;
  private final ReplicaFetch fetches;
  private final Consumer<LogStoppedException> listener;
  private final Member member = new Member();

  /** Of this shard alone: an event waits while a copy is put in its place, which takes seconds. */
  private final EventThread events;

  /** Held while an entry is submitted: Ratis keeps the order of one thread. */
  private final ReentrantLock submitting = new ReentrantLock();

  private final ReplicaCalls calls = new ReplicaCalls(() -> failure() != null);
  private final AtomicBoolean compactionAsked = new AtomicBoolean();

  /** How many changes of the members this node has asked for that have not ended. */
  private final AtomicInteger changing = new AtomicInteger();

  private final FedMembers fed = new FedMembers();

  private volatile @Nullable LogDivision division;
  private volatile @Nullable LogStoppedException failure;

  RatisLog(
      RatisNode node,
      int shard,
      Path directory,
      Map<NodeId, InetSocketAddress> first,
      boolean mustExist,
      Consumer<LogStoppedException> listener) {
    this.node = node;
    this.shard = shard;
    this.first = Map.copyOf(first);
    this.mustExist = mustExist;
    this.files = new LogFiles(node.disk(), directory, shard);
    this.compaction = new Compaction(files, node.options());
    this.listener = listener;
    this.events = new EventThread("holdfast-log-events-" + shard);
    this.fetches =
        new ReplicaFetch(
            shard,
            new ReplicaFetch.Target(calls, files, compaction, member::stopped),
            // Not on the common pool: the application may block it in calls that wait.
            CompletableFuture.delayedExecutor(
                node.options().failover().toMillis(), TimeUnit.MILLISECONDS, events));
  }

  // ---------------------------------------------------------------- copying again

  /**
   * {@return the first entry that the log has taken back though the replica had it; empty if it has
   * none} Such a replica is not like the others: it is to be set aside, all of its files. Called
   * before the replica is opened.
   *
   * @throws DataDirectoryException if the file that says so cannot be read
   */
  public OptionalLong takenBack() {
    return files.takenBack();
  }

  /**
   * Records durably that the replica was set aside. The votes and entries of this node stay: what
   * it has acknowledged to others counts on.
   *
   * @throws DataDirectoryException if that cannot be written
   */
  public void replicaIsSetAside() {
    files.replicaIsSetAside();
  }

  /**
   * {@return whether a replica was set aside and {@link #refill} is to be called before {@link
   * #start}}
   */
  public boolean lacksReplica() {
    return files.lacksReplica();
  }

  /**
   * Brings an empty replica forward to where this log begins, at least. Blocks, and is safe to
   * repeat; the log takes no part in the shard meanwhile.
   *
   * @param empty the replica; {@link #start} follows
   * @throws DataDirectoryException if a file cannot be written
   * @throws RuntimeException if no other node has such a state now
   */
  public void refill(Replica empty) {
    files.refill(empty);
  }

  /**
   * Begins to pass entries to the replica. Returns when the node takes part in the shard; a leader
   * may not be found yet.
   *
   * @param started receives the entries
   * @throws IllegalStateException if it was started before, or the node is closed
   * @throws DataDirectoryException if the log cannot be read
   * @throws LogStoppedException if the log does not have what the replica has: it has perhaps voted
   *     for what it lost, so the node must be replaced by another one. Or if it has taken an entry
   *     back that the replica has
   */
  @Override
  public void start(Replica started) {
    if (calls.replica() != null || calls.isClosed()) {
      throw new IllegalStateException("The log of shard " + shard + " is started once.");
    }
    long applied = started.appliedIndex().orElse(NONE);
    if ((applied != NONE || mustExist) && !node.exists(shard)) {
      throw lost(applied, "is missing");
    }
    calls.has(applied);
    refuseTakenBack();
    files.finishFetch(
        applied, new OfflineLog(node.options().directory(), node.options().cluster(), shard));
    calls.begin(started);
    LogDivision joined =
        node.join(
            shard,
            first,
            new ShardStateMachine(member, node.disk(), applied),
            () -> failure != null);
    if (joined.lastIndex() < applied) {
      long last = joined.lastIndex();
      close();
      throw lost(applied, "ends at entry " + last);
    }
    division = joined; // before a leader asks: what it asks for may be there at once
    joined.takePart();
    member.started();
    LogStoppedException failed = failure;
    if (failed != null) {
      close();
      throw failed;
    }
  }

  /** The replica is not like the others, and what the log has now does not show it. */
  private void refuseTakenBack() {
    OptionalLong entry = takenBack();
    if (entry.isPresent()) {
      throw stop(takenBackText(entry.getAsLong()), null);
    }
    if (lacksReplica()) {
      throw new IllegalStateException("The replica of shard " + shard + " is to be refilled.");
    }
  }

  private static String takenBackText(long index) {
    return "The log has taken entry "
        + index
        + " back, and the replica has it. Open the node again: it sets the replica aside, and makes"
        + " another from a copy of the others, which go on";
  }

  private LogStoppedException stop(String why, @Nullable Throwable cause) {
    return new LogStoppedException(
        "The log of shard " + shard + " has stopped: " + why + " [" + files.directory() + "]",
        cause);
  }

  private LogStoppedException lost(long applied, String how) {
    return new LogStoppedException(
        "The log of shard "
            + shard
            + " "
            + how
            + (applied != NONE
                ? ", but the replica has entries up to " + applied
                : ", but this node has taken part in it")
            + ". It has perhaps voted for what it lost: give the node its own directory back, or"
            + " leave it closed; the others go on as long as a majority runs ["
            + files.directory()
            + "]",
        null);
  }

  /** {@return why the log has stopped; null while it works} */
  public @Nullable LogStoppedException failure() {
    return failure;
  }

  /** {@return the member; null if it is not there yet, was closed, or has stopped} */
  private @Nullable LogDivision working() {
    return calls.isClosed() || failure != null ? null : division;
  }

  /** Asks the member, unless another term has just begun or Ratis has just closed it. */
  private <T> T asked(Function<LogDivision, T> question, T otherwise) {
    LogDivision open = working();
    try {
      return open == null ? otherwise : question.apply(open);
    } catch (IllegalStateException e) {
      return otherwise;
    }
  }

  // ---------------------------------------------------------------- proposing

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException if the entry is too long
   * @throws IllegalStateException if the log was not started
   */
  @Override
  public void propose(ByteBuffer entry, Runnable refused) {
    if (entry.remaining() > ENTRY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "An entry has at most " + ENTRY_BYTES_MAX + " bytes, not " + entry.remaining());
    }
    if (calls.replica() == null) {
      throw new IllegalStateException("The log of shard " + shard + " was not started.");
    }
    LogDivision open = working();
    if (open == null) {
      refuse(refused);
      return;
    }
    CompletableFuture<RaftClientReply> reply;
    submitting.lock();
    try {
      reply = open.submit(entry);
    } finally {
      submitting.unlock();
    }
    var _ =
        reply.whenComplete(
            (done, error) -> {
              if (error != null || !done.isSuccess()) {
                if (!open.isLeader()) {
                  member.mayLead(false);
                }
                refuse(refused);
              }
            });
  }

  /** Not by the thread that proposes: it may hold what the other side waits for. */
  private void refuse(Runnable refused) {
    events.execute(
        () -> {
          if (!calls.isClosed()) {
            refused.run();
          }
        });
  }

  // ---------------------------------------------------------------- leading

  @Override
  public void transferTo(NodeId other) {
    LogDivision open = working();
    if (open != null) {
      var _ = open.transferTo(other); // a refusal says that this node does not lead, or leads on
    }
  }

  /** {@return whether this node leads, as far as it knows} */
  boolean isLeader() {
    return asked(LogDivision::isLeader, false);
  }

  /**
   * Gives the leadership up, if this node has it, so that another member is elected or this one
   * again. The way out of a state in which the log takes no entry though it leads.
   */
  public void stepDown() {
    LogDivision open = working();
    if (open != null) {
      var _ = open.stepDown(); // a refusal says that this node does not lead
    }
  }

  /**
   * {@return the member that lags least among those that this node, as the leader, hears of; empty
   * if it does not lead, or hears of none}
   */
  public Optional<NodeId> successor() {
    return asked(LogDivision::successor, Optional.empty());
  }

  /**
   * Looks at how this node, as the leader, feeds the other members. To be called again and again:
   * one that does not come further is known by the second look.
   *
   * @return the members that have answered nothing for two failovers, or have stayed behind for
   *     that long; none if this node does not lead
   */
  public Set<NodeId> unfed() {
    return asked(open -> open.isLeader() ? unfed(open) : Set.of(), Set.of());
  }

  private Set<NodeId> unfed(LogDivision leader) {
    Set<NodeId> unfed =
        fed.stalled(
            leader.committed(),
            leader.committedIndex(),
            Timestamp.currentTimeNanos(),
            silenceMax().toNanos());
    leader
        .heardMillisAgo()
        .forEach(
            (node, millis) -> {
              if (millis > silenceMax().toMillis()) {
                unfed.add(node);
              }
            });
    return unfed;
  }

  /**
   * {@return the other members that this node, as the leader, has not heard for a failover, or that
   * lack entries; all of them if it does not lead, as it does not know}
   *
   * @param entriesMax how many entries a member may lack
   */
  public Set<NodeId> behind(long entriesMax) {
    Set<NodeId> others = new HashSet<>(configuration().members().keySet());
    others.remove(node.options().node());
    return asked(open -> behind(open, others, entriesMax), others);
  }

  private Set<NodeId> behind(LogDivision log, Set<NodeId> others, long entriesMax) {
    long from = log.committedIndex() - entriesMax;
    Map<NodeId, Long> committed = log.committed();
    Map<NodeId, Long> heard = log.heardMillisAgo(); // of a leader alone
    Set<NodeId> behind = new HashSet<>(others);
    behind.removeIf(
        each ->
            committed.getOrDefault(each, NONE) >= from
                && heard.getOrDefault(each, Long.MAX_VALUE)
                    <= node.options().failover().toMillis());
    return behind;
  }

  /** {@return how long ago this leader has heard each other member; empty if it does not lead} */
  Map<NodeId, Long> heardMillisAgo() {
    return asked(LogDivision::heardMillisAgo, Map.of());
  }

  /** {@return whether this member has heard of no leader for two failovers} */
  public boolean hearsNoLeader() {
    return asked(open -> open.hearsNoLeader(silenceMax()), false);
  }

  private Duration silenceMax() {
    return node.options().failover().multipliedBy(2);
  }

  /**
   * {@return how many entries of the log the member that is furthest behind has not committed, as
   * far as this one knows; empty if it has not heard of every member}
   */
  public OptionalLong lag() {
    return asked(RatisLog::lag, OptionalLong.empty());
  }

  private static OptionalLong lag(LogDivision open) {
    OptionalLong held = open.leastCommitted();
    return held.isEmpty()
        ? held
        : OptionalLong.of(Math.max(0, open.lastIndex() - held.getAsLong()));
  }

  @Override
  public OptionalLong heldByAll() {
    return asked(LogDivision::leastCommitted, OptionalLong.empty());
  }

  // ---------------------------------------------------------------- members

  @Override
  public Configuration configuration() {
    LogDivision open = division;
    return open == null ? Configuration.of(Configuration.NO_ENTRY, Map.of()) : open.configuration();
  }

  @Override
  public CompletableFuture<Void> change(Configuration expected, Map<NodeId, String> wanted) {
    LogDivision open = working();
    if (open == null) {
      return CompletableFuture.failedFuture(unchanged("it does not run on this node", failure));
    }
    changing.incrementAndGet();
    return open.change(expected, wanted)
        .handle(
            (done, error) -> {
              changing.decrementAndGet();
              Throwable why = error != null ? error : done.getException();
              if (why != null || !done.isSuccess()) {
                throw unchanged(
                    why == null ? "it was refused" : String.valueOf(why.getMessage()), why);
              }
              return null;
            });
  }

  @Override
  public boolean isChanging() {
    return changing.get() > 0;
  }

  private ConfigurationChangeException unchanged(String why, @Nullable Throwable cause) {
    return new ConfigurationChangeException(
        "The nodes that keep the log of shard "
            + shard
            + " were not changed: "
            + why
            + ". Repeat the change once the reason is gone",
        cause);
  }

  @Override
  public void abandon(RuntimeException why) {
    member.stopped(
        "The replica cannot go on. Open the shard here again once the reason is gone; the other"
            + " nodes go on",
        why);
  }

  // ---------------------------------------------------------------- dropping

  @Override
  public OptionalLong termOf(long index) {
    LogDivision open = working();
    TermIndex entry = open == null ? null : open.termOf(index);
    TermIndex first = compaction.begin();
    if (entry == null && first != null && first.getIndex() == index) {
      entry = first; // all before the next one is dropped
    }
    return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.getTerm());
  }

  @Override
  public void compactTo(long index) {
    boolean isDue = compaction.allow(index);
    LogDivision open = division;
    if (isDue && open != null && !calls.isClosed() && compactionAsked.compareAndSet(false, true)) {
      var _ = open.compact().whenComplete((done, error) -> compactionAsked.set(false));
    }
  }

  @Override
  public boolean mayHave(long index) {
    return new OfflineLog(node.options().directory(), node.options().cluster(), shard)
        .mayHave(index);
  }

  // ---------------------------------------------------------------- closing

  /**
   * {@inheritDoc}
   *
   * <p>Not called by the replica: it waits for an entry that is being applied.
   */
  @Override
  public void close() {
    if (end()) {
      node.leave(shard);
    }
  }

  /** Ends the calls of the replica; returns whether this call did that. */
  boolean end() {
    boolean ends = calls.end();
    events.end(); // those that come have no effect any more
    return ends;
  }

  /** What the state machine of this member calls. */
  private final class Member implements ShardStateMachine.Log {

    private boolean hintBeforeStart; // confined to the thread of events

    @Override
    public @Nullable TermIndex compacted() throws IOException {
      TermIndex start = files.compacted();
      long index = start == null ? NONE : start.getIndex();
      long passed = calls.passed();
      // Below the first entry of replicas it says of none that the replica must have it.
      if (index >= FIRST_OF_REPLICAS && passed < index) {
        throw new DataDirectoryException(
            files.directory(),
            "The replica has entries up to "
                + passed
                + ", but its log begins behind entry "
                + index
                + ". Remove this node from the shard and add another one",
            null);
      }
      compaction.opened(start);
      return start;
    }

    @Override
    public void apply(long index, ByteBuffer entry) {
      long bytes = entry.remaining();
      boolean isApplied;
      try {
        isApplied = calls.apply(index, entry);
      } catch (RuntimeException | Error e) {
        // Not thrown: an error that reaches Ratis while another thread closes the member leaves
        // that thread waiting for ever. No entry is passed on from now on, and the member closes.
        stopped(
            "The replica cannot apply entry "
                + index
                + ". Open the shard here again once the reason is gone; the other nodes go on",
            e);
        return;
      }
      if (isApplied) {
        compaction.applied(index, bytes);
      }
    }

    @Override
    public @Nullable TermIndex compact(long applied) throws IOException {
      return compaction.compact(applied, RatisLog.this::working);
    }

    @Override
    public CompletableFuture<@Nullable TermIndex> fetch(long first) {
      return fetches.fetch(first);
    }

    @Override
    public void askAgain(long first) {
      // Not within the question: Ratis records it only when it has no answer yet.
      events.execute(
          () -> {
            LogDivision open = working();
            if (open != null) {
              open.askAgain(first);
            }
          });
    }

    @Override
    public void configured(Configuration agreed) {
      events.execute(() -> calls.configured(agreed));
    }

    @Override
    public boolean isMember() {
      return configuration().members().containsKey(node.options().node());
    }

    @Override
    public boolean isContinuedBy(long firstIndex) {
      LogDivision open = division;
      // What is not committed may not be what the leader has, and the leader needs the entry
      // before.
      long committed = open == null ? NONE : open.committedIndex();
      long passed = calls.passed();
      // The first log of a journal has all of it, but that of a cluster that was recovered, or
      // made from a data directory, begins after records that a replica without any must have.
      return passed != NONE && firstIndex <= Math.max(committed, passed);
    }

    @Override
    public void mayLead(boolean yes) {
      events.execute(() -> hint(yes));
    }

    /** On the thread of events. */
    private void hint(boolean yes) {
      LogDivision open = division;
      if (open == null) {
        hintBeforeStart = yes;
      } else if (yes
          && open.isLeader()
          && !open.isReady()
          && !calls.isClosed()
          && failure == null) {
        // Ratis says that it leads a moment before it takes proposals. Each shard has a thread of
        // events, and a spinning one would take the processor from what it waits for.
        CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, events)
            .execute(() -> hint(true));
      } else {
        // What it says may be late, the one as well as the other, so it is asked again.
        calls.mayLead(failure == null && open.isLeader() && open.isReady());
      }
    }

    void started() {
      events.execute(
          () -> {
            if (hintBeforeStart) {
              hint(true);
            }
          });
    }

    @Override
    public void takenBack(long index) {
      IOException unwritten = null;
      try {
        // Before the log has the other entry: from then on only this file says that they differ.
        files.takenBack(index);
      } catch (IOException e) {
        unwritten = e;
      }
      stopped(takenBackText(index), unwritten);
      if (unwritten != null) {
        // Ratis must not change its files: the next opening of this log would not know.
        throw new UncheckedIOException(unwritten);
      }
    }

    @Override
    public void stopped(String why, @Nullable Throwable cause) {
      LogStoppedException stopped = stop(why, cause);
      synchronized (this) {
        if (calls.isClosed() || failure != null) {
          return;
        }
        failure = stopped;
      }
      LogDivision open = division;
      if (open != null) {
        open.closeLater();
      }
      mayLead(false);
      events.execute(() -> listener.accept(stopped));
    }
  }

  /** {@return the lowest of what members have committed; empty if not all are known to have} */
  static OptionalLong least(Collection<CommitInfoProto> known, int members) {
    return known.size() < members
        ? OptionalLong.empty()
        : known.stream().mapToLong(CommitInfoProto::getCommitIndex).min().stream()
            .filter(index -> index != NONE)
            .findFirst();
  }
}
