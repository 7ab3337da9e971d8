package dev.holdfast.log.ratis;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.ConfigurationChangeException;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.Replica;
import dev.holdfast.spi.log.ReplicatedLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.segmented.LogSegmentPath;
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

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final RatisNode node;
  private final int shard;
  private final Path directory;
  private final boolean mustExist;
  private final CompactedFile compactedFile;
  private final CompactedFile fetchedFile;
  private final CompactedFile takenBackFile;
  private final CompactedFile setAsideFile;
  private final Consumer<LogStoppedException> listener;
  private final Member member = new Member();

  /** Of this shard alone: an event waits while a copy is put in its place, which takes seconds. */
  private final EventThread events;

  /** Held while an entry is submitted: Ratis keeps the order of one thread. */
  private final ReentrantLock submitting = new ReentrantLock();

  /** Held while the replica is called, so that it is called by one thread at a time. */
  private final ReentrantLock calling = new ReentrantLock();

  /** Held while it is stated where the log begins. After calling, before compacting. */
  private final ReentrantLock stating = new ReentrantLock();

  private final ReentrantLock compacting = new ReentrantLock();
  private final AtomicBoolean compactionAsked = new AtomicBoolean();

  private volatile @Nullable Replica replica;
  private volatile @Nullable Division division;
  private volatile @Nullable LogStoppedException failure;
  private volatile boolean isClosed;

  /** Where the log may begin. */
  private volatile @Nullable TermIndex begin;

  // Guarded by calling.
  private long passed = NONE;
  private boolean leads;

  private final FedMembers fed = new FedMembers();

  // Guarded by compacting.
  private final LogTail tail = new LogTail();
  private long allowed = NONE;
  private long dropped = NONE;

  RatisLog(
      RatisNode node,
      int shard,
      Path directory,
      boolean mustExist,
      Consumer<LogStoppedException> listener) {
    this.node = node;
    this.shard = shard;
    this.directory = directory;
    this.mustExist = mustExist;
    this.compactedFile = new CompactedFile(node.disk(), directory);
    this.fetchedFile = new CompactedFile(node.disk(), directory, CompactedFile.FETCHED_NAME);
    this.takenBackFile = new CompactedFile(node.disk(), directory, CompactedFile.TAKEN_BACK_NAME);
    this.setAsideFile = new CompactedFile(node.disk(), directory, CompactedFile.SET_ASIDE_NAME);
    this.listener = listener;
    this.events = new EventThread("holdfast-log-events-" + shard);
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
    try {
      TermIndex entry = takenBackFile.read();
      if (entry != null && entry.getIndex() < FIRST_OF_REPLICAS) {
        takenBackFile.delete(); // no replica has such an entry: a version before this one wrote it
        return OptionalLong.empty();
      }
      return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.getIndex());
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  /**
   * Records durably that the replica was set aside. The votes and entries of this node stay: what
   * it has acknowledged to others counts on.
   *
   * @throws DataDirectoryException if that cannot be written
   */
  public void replicaIsSetAside() {
    try {
      TermIndex entry = takenBackFile.read();
      if (entry != null) {
        setAsideFile.write(entry);
        takenBackFile.delete();
      }
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  /**
   * {@return whether a replica was set aside and {@link #refill} is to be called before {@link
   * #start}}
   */
  public boolean lacksReplica() {
    try {
      return setAsideFile.read() != null;
    } catch (IOException e) {
      throw cannotOpen(e);
    }
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
    try {
      if (empty.appliedIndex().isEmpty()) { // otherwise it was killed just before the end
        TermIndex start = compactedFile.read();
        Replica.Fetched fetched = empty.fetch(start == null ? NONE : start.getIndex());
        if (fetched == null) {
          throw new DataDirectoryException(
              directory, "The copy of shard " + shard + " takes nothing from other nodes", null);
        }
        TermIndex place = TermIndex.valueOf(fetched.place().term(), fetched.place().index());
        if (place.getIndex() >= FIRST_OF_REPLICAS) {
          fetchedFile.write(place);
          fetched.install();
        } // else the others have nothing yet, and the log has all that they will have
      }
      setAsideFile.delete();
    } catch (IOException e) {
      throw cannotOpen(e);
    }
  }

  private DataDirectoryException cannotOpen(IOException e) {
    return new DataDirectoryException(
        directory, "The log of shard " + shard + " cannot be opened", e);
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
    if (replica != null || isClosed) {
      throw new IllegalStateException("The log of shard " + shard + " is started once.");
    }
    long applied = started.appliedIndex().orElse(NONE);
    if ((applied != NONE || mustExist) && !node.exists(shard)) {
      throw lost(applied, "is missing");
    }
    calling.lock();
    try {
      passed = applied;
    } finally {
      calling.unlock();
    }
    refuseTakenBack();
    finishFetch(applied);
    replica = started;
    Division joined =
        node.join(
            shard, new ShardStateMachine(member, node.disk(), applied), () -> failure != null);
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
        "The log of shard " + shard + " has stopped: " + why + " [" + directory + "]", cause);
  }

  /**
   * A process that ended after the replica was brought forward has perhaps left a log that ends
   * before: nothing in it is needed, and Ratis would not go on after a gap. Nor is a log needed
   * that has another entry there: a majority has none of what follows in it.
   */
  private void finishFetch(long applied) {
    try {
      TermIndex fetched = fetchedFile.read();
      if (fetched == null) {
        return;
      }
      TermIndex stated = compactedFile.read();
      long index = fetched.getIndex();
      if (applied >= index && (stated == null || stated.getIndex() <= index)) {
        OfflineLog old =
            new OfflineLog(node.options().directory(), node.options().cluster(), shard);
        if (old.examine(OptionalLong.of(index)) == OfflineLog.Condition.WHOLE
            && !old.goesOnAfter(fetched)) {
          for (LogSegmentPath each : old.files()) {
            node.disk().delete(each.getPath());
            node.disk().forceDirectory(Objects.requireNonNull(each.getPath().getParent()));
          }
        }
        compactedFile.write(fetched);
      }
      fetchedFile.delete();
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The log of shard " + shard + " cannot be brought forward", e);
    }
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
            + directory
            + "]",
        null);
  }

  /** {@return why the log has stopped; null while it works} */
  public @Nullable LogStoppedException failure() {
    return failure;
  }

  /** {@return the member; null if it is not there yet, was closed, or has stopped} */
  private @Nullable Division working() {
    return isClosed || failure != null ? null : division;
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
    if (replica == null) {
      throw new IllegalStateException("The log of shard " + shard + " was not started.");
    }
    Division open = working();
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
          if (!isClosed) {
            refused.run();
          }
        });
  }

  // ---------------------------------------------------------------- leading

  @Override
  public void transferTo(NodeId other) {
    Division open = working();
    if (open != null) {
      var _ = open.transferTo(other); // a refusal says that this node does not lead, or leads on
    }
  }

  /** {@return whether this node leads, as far as it knows} */
  boolean isLeader() {
    Division open = working();
    return open != null && open.isLeader();
  }

  /**
   * Gives the leadership up, if this node has it, so that another member is elected or this one
   * again. The way out of a state in which the log takes no entry though it leads.
   */
  public void stepDown() {
    Division open = working();
    if (open != null) {
      var _ = open.stepDown(); // a refusal says that this node does not lead
    }
  }

  /**
   * {@return the member that lags least among those that this node, as the leader, hears of; empty
   * if it does not lead, or hears of none}
   */
  public Optional<NodeId> successor() {
    Division open = working();
    if (open == null) {
      return Optional.empty();
    }
    try {
      return open.successor();
    } catch (IllegalStateException e) {
      return Optional.empty(); // another term has just begun
    }
  }

  /**
   * Looks at how this node, as the leader, feeds the other members. To be called again and again:
   * one that does not come further is known by the second look.
   *
   * @return the members that have answered nothing for two failovers, or have stayed behind for
   *     that long; none if this node does not lead
   */
  public Set<NodeId> unfed() {
    Division open = working();
    if (open == null || !open.isLeader()) {
      return Set.of();
    }
    try {
      Set<NodeId> unfed =
          fed.stalled(
              open.committed(),
              open.committedIndex(),
              Timestamp.currentTimeNanos(),
              silenceMax().toNanos());
      open.heardMillisAgo()
          .forEach(
              (node, millis) -> {
                if (millis > silenceMax().toMillis()) {
                  unfed.add(node);
                }
              });
      return unfed;
    } catch (IllegalStateException e) {
      return Set.of(); // another term has just begun
    }
  }

  /** {@return how long ago this leader has heard each other member; empty if it does not lead} */
  Map<NodeId, Long> heardMillisAgo() {
    Division open = working();
    try {
      return open == null ? Map.of() : open.heardMillisAgo();
    } catch (IllegalStateException e) {
      return Map.of(); // another term has just begun
    }
  }

  /** {@return whether this member has heard of no leader for two failovers} */
  public boolean hearsNoLeader() {
    Division open = working();
    return open != null && open.hearsNoLeader(silenceMax());
  }

  private Duration silenceMax() {
    return node.options().failover().multipliedBy(2);
  }

  /**
   * {@return how many entries of the log the member that is furthest behind has not committed, as
   * far as this one knows; empty if it has not heard of every member}
   */
  public OptionalLong lag() {
    Division open = division;
    OptionalLong held = heldByAll();
    if (open == null || held.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Math.max(0, open.lastIndex() - held.getAsLong()));
    } catch (IllegalStateException e) {
      return OptionalLong.empty(); // Ratis has just closed its member, and says so next
    }
  }

  @Override
  public OptionalLong heldByAll() {
    Division open = working();
    if (open == null) {
      return OptionalLong.empty();
    }
    try {
      return open.leastCommitted();
    } catch (IllegalStateException e) {
      return OptionalLong.empty(); // Ratis has just closed its member, and says so next
    }
  }

  // ---------------------------------------------------------------- members

  @Override
  public Configuration configuration() {
    Division open = division;
    return open == null ? Configuration.of(Configuration.NO_ENTRY, Map.of()) : open.configuration();
  }

  @Override
  public CompletableFuture<Void> change(Configuration expected, Map<NodeId, String> wanted) {
    Division open = working();
    if (open == null) {
      return CompletableFuture.failedFuture(unchanged("it does not run on this node", failure));
    }
    return open.change(expected, wanted)
        .handle(
            (done, error) -> {
              Throwable why = error != null ? error : done.getException();
              if (why != null || !done.isSuccess()) {
                throw unchanged(
                    why == null ? "it was refused" : String.valueOf(why.getMessage()), why);
              }
              return null;
            });
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
    Division open = working();
    TermIndex entry = open == null ? null : open.termOf(index);
    TermIndex first = begin;
    if (entry == null && first != null && first.getIndex() == index) {
      entry = first; // all before the next one is dropped
    }
    return entry == null ? OptionalLong.empty() : OptionalLong.of(entry.getTerm());
  }

  @Override
  public void compactTo(long index) {
    boolean isDue;
    compacting.lock();
    try {
      allowed = Math.max(allowed, index);
      isDue = allowed > dropped && tail.bytes() >= node.options().segmentBytes();
    } finally {
      compacting.unlock();
    }
    Division open = division;
    if (isDue && open != null && !isClosed && compactionAsked.compareAndSet(false, true)) {
      var _ = open.compact().whenComplete((done, error) -> compactionAsked.set(false));
    }
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

  /** Ends the calls of the replica. {@return whether this call did that} */
  boolean end() {
    calling.lock();
    try {
      boolean ends = !isClosed;
      isClosed = true;
      events.end(); // those that come have no effect any more
      return ends;
    } finally {
      calling.unlock();
    }
  }

  /** What the state machine of this member calls. */
  private final class Member implements ShardStateMachine.Log {

    private boolean hintBeforeStart; // confined to the thread of events

    @Override
    public @Nullable TermIndex compacted() throws IOException {
      TermIndex start = compactedFile.read();
      long index = start == null ? NONE : start.getIndex();
      calling.lock();
      try {
        // Below the first entry of replicas it says of none that the replica must have it.
        if (index >= FIRST_OF_REPLICAS && passed < index) {
          throw new DataDirectoryException(
              directory,
              "The replica has entries up to "
                  + passed
                  + ", but its log begins behind entry "
                  + index
                  + ". Remove this node from the shard and add another one",
              null);
        }
      } finally {
        calling.unlock();
      }
      begin = start;
      compacting.lock();
      try {
        dropped = index;
      } finally {
        compacting.unlock();
      }
      return start;
    }

    @Override
    public void apply(long index, ByteBuffer entry) {
      long bytes = entry.remaining();
      calling.lock();
      try {
        if (isClosed || failure != null) {
          return;
        }
        Replica target = replica;
        if (target == null || index == RaftLog.LEAST_VALID_LOG_INDEX) {
          throw new IllegalStateException("Ratis gave entry " + index + " before a configuration");
        }
        if (index > passed) {
          target.apply(index, entry);
          passed = index;
        }
      } catch (RuntimeException | Error e) {
        // Not thrown: an error that reaches Ratis while another thread closes the member leaves
        // that thread waiting for ever. No entry is passed on from now on, and the member closes.
        stopped(
            "The replica cannot apply entry "
                + index
                + ". Open the shard here again once the reason is gone; the other nodes go on",
            e);
        return;
      } finally {
        calling.unlock();
      }
      compacting.lock();
      try {
        tail.add(index, bytes);
      } finally {
        compacting.unlock();
      }
    }

    @Override
    public @Nullable TermIndex compact(long applied) throws IOException {
      stating.lock();
      try {
        return compactNow(applied);
      } finally {
        stating.unlock();
      }
    }

    private @Nullable TermIndex compactNow(long applied) throws IOException {
      Division open = working();
      if (open == null) {
        return null;
      }
      long index;
      compacting.lock();
      try {
        long kept =
            Math.max(
                open.leastCommitted().orElse(NONE), tail.cutoff(node.options().retainedBytesMax()));
        index = Math.min(Math.min(allowed, applied), kept);
        if (index <= dropped) {
          return null;
        }
      } finally {
        compacting.unlock();
      }
      TermIndex entry = open.termOf(index);
      if (entry == null) {
        return null;
      }
      state(entry);
      return entry;
    }

    /** States durably where the log may begin. */
    private void state(TermIndex entry) throws IOException {
      compactedFile.write(entry);
      begin = entry;
      compacting.lock();
      try {
        dropped = entry.getIndex();
        tail.dropTo(entry.getIndex());
      } finally {
        compacting.unlock();
      }
    }

    @Override
    public CompletableFuture<@Nullable TermIndex> fetch(long first) {
      CompletableFuture<@Nullable TermIndex> done = new CompletableFuture<>();
      Thread.ofPlatform()
          .daemon()
          .name("holdfast-log-fetch-" + shard)
          .start(() -> fetch(first, done));
      return done;
    }

    private void fetch(long first, CompletableFuture<@Nullable TermIndex> done) {
      try {
        Replica target = replica;
        Replica.Fetched fetched = target == null ? null : target.fetch(first - 1);
        if (fetched == null && first <= FIRST_OF_REPLICAS) {
          done.complete(null); // the log has all that there is
          return;
        }
        if (fetched == null) {
          stopped(
              "This node was away for so long that the others have dropped entries that it does"
                  + " not have (their log begins at "
                  + first
                  + "). Remove it from the shard and add it again",
              null);
          return; // never done: the member is closed
        }
        TermIndex place = installed(fetched);
        if (place != null) {
          LOG.log(
              Level.INFO,
              "The copy of shard {0} goes on after entry {1}, with segments of another node.",
              shard,
              place.getIndex());
          done.complete(place);
        }
      } catch (IOException | RuntimeException | Error e) {
        LOG.log(
            Level.WARNING,
            () ->
                "The copy of shard "
                    + shard
                    + " lacks entries that the others have dropped, and could not fetch them now;"
                    + " it is tried again.",
            e);
        later(() -> done.completeExceptionally(e));
      }
    }

    @Override
    public void askAgain(long first) {
      // Not within the question: Ratis records it only when it has no answer yet.
      events.execute(
          () -> {
            Division open = working();
            if (open != null) {
              open.askAgain(first);
            }
          });
    }

    /** After a while. Not on the common pool: the application may block it in calls that wait. */
    private void later(Runnable event) {
      CompletableFuture.delayedExecutor(
              node.options().failover().toMillis(), TimeUnit.MILLISECONDS, events)
          .execute(event);
    }

    /** {@return the entry that the replica has now; null if the log was closed} */
    private @Nullable TermIndex installed(Replica.Fetched fetched) throws IOException {
      TermIndex place = TermIndex.valueOf(fetched.place().term(), fetched.place().index());
      calling.lock(); // no entry is passed meanwhile
      try {
        if (isClosed || failure != null) {
          return null;
        }
        stating.lock();
        try {
          // First: the replica is then ahead of its log, which would be refused as one that is
          // lost.
          fetchedFile.write(place);
          try {
            fetched.install();
            passed = Math.max(passed, place.getIndex());
            state(place);
          } catch (IOException | RuntimeException | Error e) {
            stopped(
                "The replica cannot be brought forward. Open the shard here again once the reason"
                    + " is gone; the other nodes go on",
                e);
            return null;
          }
        } finally {
          stating.unlock();
        }
      } finally {
        calling.unlock();
      }
      compacting.lock();
      try {
        allowed = Math.max(allowed, place.getIndex());
      } finally {
        compacting.unlock();
      }
      return place;
    }

    @Override
    public void configured(Configuration agreed) {
      events.execute(
          () -> {
            calling.lock();
            try {
              Replica target = replica;
              if (!isClosed && target != null) {
                target.configured(agreed);
              }
            } finally {
              calling.unlock();
            }
          });
    }

    @Override
    public boolean isMember() {
      return configuration().members().containsKey(node.options().node());
    }

    @Override
    public boolean isContinuedBy(long firstIndex) {
      Division open = division;
      // What is not committed may not be what the leader has, and the leader needs the entry
      // before.
      long committed = open == null ? NONE : open.committedIndex();
      calling.lock();
      try {
        // The first log of a journal has all of it, but that of a cluster that was recovered, or
        // made from a data directory, begins after records that a replica without any must have.
        return passed != NONE && firstIndex <= Math.max(committed, passed);
      } finally {
        calling.unlock();
      }
    }

    @Override
    public void mayLead(boolean yes) {
      events.execute(() -> hint(yes));
    }

    /** On the thread of events. */
    private void hint(boolean yes) {
      Division open = division;
      if (open == null) {
        hintBeforeStart = yes;
      } else if (yes && open.isLeader() && !open.isReady() && !isClosed && failure == null) {
        // Ratis says that it is ready a moment before it takes proposals.
        Thread.onSpinWait();
        mayLead(true);
      } else {
        // What it says may be late, the one as well as the other, so it is asked again.
        tellMayLead(failure == null && open.isLeader() && open.isReady());
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

    private void tellMayLead(boolean yes) {
      calling.lock();
      try {
        Replica target = replica;
        if (!isClosed && target != null && leads != yes) {
          leads = yes;
          target.mayLead(yes);
        }
      } finally {
        calling.unlock();
      }
    }

    @Override
    public void takenBack(long index) {
      IOException unwritten = null;
      try {
        // Before the log has the other entry: from then on only this file says that they differ.
        if (takenBackFile.read() == null) {
          takenBackFile.write(TermIndex.valueOf(0, index));
        }
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
        if (isClosed || failure != null) {
          return;
        }
        failure = stopped;
      }
      Division open = division;
      if (open != null) {
        open.closeLater();
      }
      mayLead(false);
      events.execute(() -> listener.accept(stopped));
    }
  }

  /** The member of the group on this node, once it takes part. */
  interface Division {

    /** {@return the last entry of the log here} */
    long lastIndex();

    /** Takes the requests of other members from now on: the log has what it must have. */
    void takePart();

    /** {@return the index of the last entry that this node knows a majority has} */
    long committedIndex();

    /** {@return whether it leads, as far as it knows} */
    boolean isLeader();

    /** {@return what each other member has committed, as far as this one knows} */
    Map<NodeId, Long> committed();

    /** {@return how long ago this leader has heard each other member; empty if it does not lead} */
    Map<NodeId, Long> heardMillisAgo();

    /** {@return whether this member has not heard a leader for this time} */
    boolean hearsNoLeader(Duration silenceMax);

    /** {@return whether it takes proposals} */
    boolean isReady();

    /** {@return where an entry is, or null if the log does not have it} */
    @Nullable TermIndex termOf(long index);

    /** {@return the last entry that every member is known to have; empty if there is none} */
    OptionalLong leastCommitted();

    /** Submits an entry. Does not throw. */
    CompletableFuture<RaftClientReply> submit(ByteBuffer entry);

    /** Asks for {@link ShardStateMachine#takeSnapshot}. */
    CompletableFuture<?> compact();

    /** Asks that another member leads. Does not throw. */
    CompletableFuture<?> transferTo(NodeId other);

    /** Gives the leadership up. Does not throw. */
    CompletableFuture<?> stepDown();

    /** Forgets that a leader has said which entry is its first, so that it says it again. */
    void askAgain(long first);

    /** {@return which nodes keep the log, as far as this one knows} */
    Configuration configuration();

    /** Changes that. Does not throw. */
    CompletableFuture<RaftClientReply> change(Configuration expected, Map<NodeId, String> wanted);

    /** {@return the member that lags least; empty if this one does not lead} */
    Optional<NodeId> successor();

    /** Leaves the shard without waiting for that. */
    void closeLater();
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
