package dev.holdfast.journal.shard;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.MemoryDisk;
import dev.holdfast.faults.SimulatedLog;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.journal.replica.LogEntry;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.log.ReplicatedLog;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A shard of nodes in memory, on a simulated log, without a thread: listeners run where they are
 * notified. Each node has its own disk, which can lose power.
 */
final class SimulatedShard implements AutoCloseable {

  static final ObjectKey KEY = new ObjectKey("accounts", ObjectId.of(new byte[32], null));

  static final Path DIRECTORY = Path.of("shard").toAbsolutePath();

  /** A node and its present run. */
  private static final class Node {
    final NodeId id;
    MemoryDisk disk = new MemoryDisk();
    FaultyDisk faulty = new FaultyDisk(disk);
    final List<ShardJournal> owned = new ArrayList<>();
    Executor saver = Runnable::run;
    boolean mayLead;
    @Nullable SimulatedObjects objects;
    @Nullable ShardJournal opened;
    @Nullable ReplicatedLog log;
    @Nullable ShardReplica replica;

    Node(String name) {
      this.id = new NodeId(name);
    }
  }

  private final RandomGenerator random;
  private final SimulatedLog log;
  private final VirtualClock clock = new VirtualClock();
  private final Map<String, Node> nodes = new TreeMap<>();
  private final UnaryOperator<JournalOptions> options;
  private UnaryOperator<ReplicaSource> distorted = UnaryOperator.identity();
  private Duration lease = Duration.ZERO;
  private int fetches;
  private long salt;

  /** A shard of two nodes, "a" and "b". */
  SimulatedShard(RandomGenerator random) {
    this(random, SimulatedLog.Faults.NONE, List.of("a", "b"));
  }

  SimulatedShard(RandomGenerator random, SimulatedLog.Faults faults, List<String> names) {
    this(random, faults, names, each -> each.withSegmentBytes(16384));
  }

  /**
   * @param options changes the options of the replicas
   */
  SimulatedShard(
      RandomGenerator random,
      SimulatedLog.Faults faults,
      List<String> names,
      UnaryOperator<JournalOptions> options) {
    this.random = random;
    this.log = SimulatedLog.byChance(random, faults);
    this.options = options;
    names.forEach(name -> nodes.put(name, new Node(name)));
    names.forEach(this::start);
  }

  SimulatedLog log() {
    return log;
  }

  VirtualClock clock() {
    return clock;
  }

  /** From now on nodes claim the shard with a lease. */
  void lend(Duration time) {
    lease = time;
  }

  /** From now on the replicas of a node save with another executor; by default it is at once. */
  void saveBy(String name, Executor saver) {
    node(name).saver = saver;
  }

  /** Starts a node that does not run. */
  void start(String name) {
    Node node = node(name);
    ShardHost.Owner owner =
        new ShardHost.Owner() {
          @Override
          public void mayLead(boolean yes) {
            node.mayLead = yes;
          }

          @Override
          public Duration lease() {
            return lease;
          }

          @Override
          public ReplicaSource others() {
            return otherThan(node);
          }

          @Override
          public void askPurged(Collection<NodeId> others, ShardHost.PurgedAnswer answer) {
            askOthers(others, answer);
          }

          @Override
          public void owns(ShardJournal journal) {
            node.owned.add(journal);
          }
        };
    JournalOptions changed =
        options.apply(
            JournalOptions.DEFAULT
                .withHistory(new HistoryOptions(Long.MAX_VALUE / 2, Long.MAX_VALUE))
                .withDisk(node.faulty)
                .withSalts(() -> 0x9E3779B97F4A7C15L * ++salt));
    ShardReplica opened =
        ShardReplica.open(
            DIRECTORY,
            changed,
            new ShardHost(
                node.id,
                clock,
                task -> node.saver.execute(task),
                Runnable::run,
                Runnable::run,
                owner));
    node.replica = opened;
    node.log = log.on(node.id);
    opened.start(node.log);
  }

  private void askOthers(Collection<NodeId> others, ShardHost.PurgedAnswer answer) {
    long done = Long.MAX_VALUE;
    long segments = Long.MAX_VALUE;
    NodeId last = null;
    for (NodeId each : others) {
      ShardReplica replica = node(each.name()).replica;
      if (replica == null) {
        answer.failed(new IllegalStateException(each + " is away."));
        return;
      }
      long purged = replica.source().purged();
      last = last == null || Math.max(0, purged) < done ? each : last;
      done = Math.min(done, Math.max(0, purged));
      segments = Math.min(segments, Math.abs(purged));
    }
    answer.said(done, segments, last);
  }

  /** {@return what the running replica of another node has, which chance takes} */
  private ReplicaSource otherThan(Node node) {
    List<ReplicaSource> others =
        nodes.values().stream()
            .filter(each -> !each.id.equals(node.id))
            .flatMap(each -> Stream.ofNullable(each.replica))
            .map(ShardReplica::source)
            .toList();
    if (others.isEmpty()) {
      throw new IllegalStateException("No other node runs.");
    }
    fetches++;
    ReplicaSource other = others.get(random.nextInt(others.size()));
    return distorted.apply(other);
  }

  /** From now on what replicas say to others is changed on the way. */
  void distort(UnaryOperator<ReplicaSource> change) {
    distorted = change;
  }

  /** {@return how often a replica was asked for what the log has dropped} */
  int fetches() {
    return fetches;
  }

  /** {@return the disk of a node, for faults} */
  FaultyDisk disk(String name) {
    return node(name).faulty;
  }

  /** {@return what a node has on its disk} */
  MemoryDisk memory(String name) {
    return node(name).disk;
  }

  /** Ends a node as a power cut does. */
  void losePower(String name) {
    Node node = node(name);
    Objects.requireNonNull(node.log).close();
    node.disk.losePower(random);
    replica(name).close(); // only its thread ends: its files fail
    node.owned.clear();
    node.objects = null;
    node.mayLead = false;
    node.replica = null;
  }

  /** Replaces the disk of a node that does not run; the log brings everything again. */
  void loseDisk(String name) {
    Node node = node(name);
    node.disk = new MemoryDisk();
    node.faulty = new FaultyDisk(node.disk);
    log.forget(node(name).id);
  }

  boolean isRunning(String name) {
    return node(name).replica != null;
  }

  boolean mayLead(String name) {
    return node(name).mayLead;
  }

  private Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  /** Proposes an entry on a node that runs. */
  void propose(String name, LogEntry entry) {
    Objects.requireNonNull(node(name).log).propose(entry.encode(), () -> {});
  }

  ShardReplica replica(String name) {
    return Objects.requireNonNull(node(name).replica, "the node does not run");
  }

  /** Lets a node take the shard. */
  ShardJournal owned(String name) {
    replica(name).claim();
    log.settle();
    return lastOwned(name);
  }

  ShardJournal lastOwned(String name) {
    return node(name).owned.getLast();
  }

  /** {@return the journals of a node in this run, also those that have ended} */
  List<ShardJournal> allOwned(String name) {
    return List.copyOf(node(name).owned);
  }

  /** {@return the objects of the last ownership of a node, which are opened if they are not yet} */
  SimulatedObjects objects(String name) {
    Node node = node(name);
    ShardJournal journal = lastOwned(name);
    SimulatedObjects open = node.objects;
    if (open == null || node.opened != journal) {
      open = SimulatedObjects.open(node.disk, DIRECTORY, journal);
      node.objects = open;
      node.opened = journal;
    }
    return open;
  }

  /** {@return whether a node that does not own the shard had something to bring forward} */
  boolean follow(String name) {
    RoundJournal round = replica(name).beginRound(Long.MAX_VALUE, _ -> false);
    if (round == null) {
      return false;
    }
    finish(name, round);
    return true;
  }

  /** Brings the files of a node forward by a round that it has begun. */
  void finish(String name, RoundJournal round) {
    SimulatedObjects.follow(node(name).disk, DIRECTORY, round);
  }

  static long append(ShardJournal journal, String text) {
    return journal.append(
        RecordKind.BATCH,
        1,
        KEY,
        ChainLink.FIRST,
        ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** {@return the records of a replica, each with its position} */
  List<String> records(String name) {
    List<String> texts = new ArrayList<>();
    replica(name)
        .history()
        .forEach(
            1,
            Long.MAX_VALUE,
            record -> texts.add(record.position() + " " + text(record.payload())));
    return texts;
  }

  /** {@return the text of a record} */
  static String text(ByteBuffer payload) {
    return StandardCharsets.UTF_8.decode(payload.duplicate()).toString();
  }

  /** Changes a byte of a segment. */
  void damage(String name, long segment, long offset) throws IOException {
    Path file = Segments.fileOf(DIRECTORY.resolve("journal"), segment);
    try (DiskFile open = node(name).disk.open(file, Disk.Mode.WRITE)) {
      byte[] one = new byte[1];
      open.read(one, 0, 1, offset);
      one[0] ^= 1;
      open.write(one, 0, 1, offset);
    }
  }

  /** {@return what a node has saved} */
  Saved saved(String name) throws IOException {
    return Objects.requireNonNull(new SavedFile(node(name).disk, DIRECTORY).read());
  }

  /** {@return the names of the files in the journal of a node} */
  List<String> files(String name) {
    return node(name).disk.list(DIRECTORY.resolve("journal")).stream()
        .map(each -> String.valueOf(each.getFileName()))
        .toList();
  }

  /** {@return the positions that the segments of a replica begin with, in order} */
  List<Long> firstPositions(String name) {
    return files(name).stream()
        .filter(file -> file.endsWith(".log"))
        .map(file -> Long.parseLong(file.substring(0, 16), 16))
        .toList();
  }

  /** {@return whether a node that does not run has every segment that it says it has} */
  boolean isWhole(String name) {
    try {
      Saved saved = new SavedFile(node(name).disk, DIRECTORY).read();
      List<Long> all = firstPositions(name);
      return saved == null
          || saved.point().segment() == 0
          || (!all.isEmpty() && all.getFirst() <= saved.removable());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** {@return the bytes of each segment of a replica, up to the end of its last group} */
  Map<String, String> segments(String name) {
    Map<String, String> segments = new HashMap<>();
    MemoryDisk disk = node(name).disk;
    for (Path file : disk.list(DIRECTORY.resolve("journal"))) {
      if (file.toString().endsWith(".log")) {
        try (SegmentReader reader = SegmentReader.open(disk, file)) {
          segments.put(String.valueOf(file.getFileName()), bytes(reader));
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
    }
    return segments;
  }

  private static String bytes(SegmentReader reader) throws IOException {
    SegmentHeader header = Objects.requireNonNull(reader.header());
    long end = SegmentHeader.LENGTH_BYTES;
    GroupHeader group = reader.groupAt(end, header.salt());
    while (group != null) {
      end += group.groupBytes();
      group = reader.groupAt(end, header.salt());
    }
    byte[] bytes = new byte[(int) end];
    reader.read(0, bytes, 0);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void close() {
    for (Node node : nodes.values()) {
      if (node.replica != null) {
        Objects.requireNonNull(node.log).close();
        node.replica.close();
      }
    }
  }
}
