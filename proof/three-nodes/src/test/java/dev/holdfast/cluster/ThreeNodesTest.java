package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.journal.shard.SealedSegments;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A cluster of three nodes, with real sockets and a real log. */
class ThreeNodesTest {

  /** Counts, and passes on to others. */
  public interface Counter {

    /** Adds to the count, and returns it. */
    long add(long more);

    /** Returns the count. */
    long count();

    /** Adds to this count, and then to that of another object. */
    long addBoth(String other, long more);

    /** Fails with the text. */
    void fail(String text);

    /** Keeps some bytes. */
    void fill(byte[] bytes);

    /** Has another object call this one, in a critical section or not. */
    String calledBack(String other, boolean inSection);

    /** Returns the count of another object, or why it cannot be called. */
    String countOf(String other);
  }

  static final class CounterObject implements Counter {

    private final ObjectContext context;

    CounterObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public long add(long more) {
      long count = count() + more;
      context.storage().put("count", count);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }

    @Override
    public long addBoth(String other, long more) {
      add(more);
      return counter(other).add(more);
    }

    @Override
    public void fail(String text) {
      throw new IllegalArgumentException(text);
    }

    @Override
    public void fill(byte[] bytes) {
      context.storage().put("bytes", bytes);
    }

    @Override
    public String calledBack(String other, boolean inSection) {
      String own = context.id().name().orElseThrow();
      return inSection
          ? context.blockConcurrencyWhile(() -> counter(other).countOf(own))
          : counter(other).countOf(own);
    }

    @Override
    public String countOf(String other) {
      try {
        return Long.toString(counter(other).count());
      } catch (MisuseException e) {
        return e.reason() + e.getMessage();
      }
    }

    private Counter counter(String name) {
      return context.namespace(context.namespace(), Counter.class).getByName(name);
    }
  }

  @TempDir private static Path directory;

  /** One cluster for all tests: to open one takes longer than most of them. */
  private static ThreeNodes nodes;

  private static void register(ObjectRegistrar objects) {
    // No disk has as much: a node says so, also if it owns no shard.
    objects.options(
        RuntimeOptions.DEFAULT.withHealth(
            HealthOptions.DEFAULT.withDiskFreeMin(0, Long.MAX_VALUE)));
    objects.namespace("sql", Counter.class, CounterObject::new);
    objects.namespace(
        "keys",
        Counter.class,
        CounterObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  @BeforeAll
  static void start() throws Exception {
    nodes = ThreeNodes.open(directory, ThreeNodesTest::register);
  }

  /** A test may close nodes, and must close those that are not what the next one expects. */
  @BeforeEach
  void openClosedNodes() throws Exception {
    for (String name : List.of("a", "b", "c")) {
      if (!nodes.names().contains(name)) {
        nodes.openNode(name);
      }
    }
    nodes.awaitReady();
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private ObjectNamespace<Counter> counters(String node, String namespace) {
    return nodes.get(node).namespace(namespace, Counter.class);
  }

  /**
   * Adds to the count of an object that nobody else changes. A machine that is too busy may cost a
   * shard its owner at any time: then the count says whether the call was made.
   */
  private long add(String node, String namespace, String name, long before, long more) {
    Counter counter = counters(node, namespace).getByName(name);
    while (true) {
      try {
        return counter.add(more);
      } catch (InstanceResetException e) {
        assertThat(e.writeOutcome()).isEqualTo(InstanceResetException.WriteOutcome.UNKNOWN);
        if (counter.count() != before) {
          return counter.count();
        }
      }
    }
  }

  @Test
  void everyObjectIsReachedFromEveryNode() throws Exception {
    for (String namespace : List.of("sql", "keys")) {
      for (int i = 0; i < 12; i++) {
        String name = "object-" + i;
        assertThat(add("a", namespace, name, 0, 1)).isEqualTo(1);
        assertThat(add("b", namespace, name, 1, 1)).isEqualTo(2);
        CompletableFuture<Long> third = counters("c", namespace).stub(name).async(o -> o.add(1));
        assertThat(third.get()).isEqualTo(3);
      }
    }
    assertThat(counters("a", "sql").getByName("object-0").addBoth("object-1", 10)).isEqualTo(13);
    assertThat(counters("a", "sql").getByName("object-1").addBoth("object-2", 10)).isEqualTo(13);
    assertThat(counters("b", "sql").getByName("object-0").count()).isEqualTo(13);
    for (String node : List.of("a", "b", "c")) {
      assertThatThrownBy(() -> counters(node, "sql").getByName("object-3").fail("why"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("why");
    }
  }

  @Test
  void callBackIntoASectionIsRefusedWhereverTheObjectsAre() throws Exception {
    nodes.move(0, "a");
    nodes.move(1, "b");
    nodes.move(2, "c");
    nodes.awaitReady();
    for (int i = 0; i < 12; i++) {
      Counter counter = counters("a", "sql").getByName("back-" + i);
      String other = "back-" + (i + 1);

      assertThat(counter.calledBack(other, /* inSection= */ false)).isEqualTo("0");
      assertThat(counter.calledBack(other, /* inSection= */ true))
          .startsWith(MisuseException.Reason.DEADLOCK.name())
          .contains("critical sections wait for each other");
      assertThat(counter.calledBack(other, /* inSection= */ false)).isEqualTo("0");
    }
    Counter withATimeOut =
        counters("a", "sql").stub("back-0").withTimeout(Duration.ofMinutes(5)).blocking();
    for (int i = 1; i < 12; i++) {
      assertThat(withATimeOut.calledBack("back-" + i, /* inSection= */ true))
          .contains("critical sections wait for each other");
    }
  }

  @Test
  void ownerThatWasForgottenIsKnownAgain() throws Exception {
    String owner = nodes.get("a").shards().getFirst().owner();
    String other = "a".equals(owner) ? "b" : "a";
    ((ClusterNode) nodes.get(other))
        .kept(0)
        .forgetOwner(Long.MAX_VALUE); // as when a call to it is lost

    nodes.awaitReady();
    assertThat(nodes.get(other).shards().getFirst().owner()).isEqualTo(owner);
  }

  @Test
  void acknowledgedWritesSurviveTheLossOfAnOwner() throws Exception {
    Map<String, Long> acknowledged = new TreeMap<>();
    for (int i = 0; i < 20; i++) {
      acknowledged.put("o" + i, add("b", "sql", "o" + i, 0, i + 1));
    }
    String owner = nodes.get("a").shards().getFirst().owner();
    nodes.closeNode(owner);
    String other = nodes.names().getFirst();
    acknowledged.forEach(
        (name, count) ->
            assertThat(counters(other, "sql").getByName(name).count()).isEqualTo(count));
    nodes.openNode(owner);
    nodes.awaitReady();
    acknowledged.forEach(
        (name, count) -> assertThat(add(owner, "sql", name, count, 1)).isEqualTo(count + 1));
  }

  @Test
  void directoryOfAnotherNodeIsRefused() {
    nodes.closeNode("c");
    assertThatThrownBy(
            () ->
                ClusterHoldfast.open(
                    nodes.directoryOf("c"), nodes.options("other", "c"), ThreeNodesTest::register))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("cluster test, and is opened for other");
  }

  @Test
  void callsSayThatNobodyTookThemWithoutAMajority() {
    List.of("a", "b", "c").forEach(nodes::closeNode);
    nodes.openNode("a", options -> options.withRouteTimeout(Duration.ofMillis(300)));
    assertThatThrownBy(() -> counters("a", "sql").getByName("nobody").add(1))
        .isInstanceOfSatisfying(
            ObjectUnavailableException.class,
            thrown -> {
              assertThat(thrown.delivery())
                  .isEqualTo(ObjectUnavailableException.Delivery.NOT_DELIVERED);
              assertThat(thrown)
                  .hasMessageContaining("No majority: node a reaches 1 of 3 members")
                  .hasMessageContaining("Start or reconnect b, c.");
            });
    while (nodes.get("a").statistics().cluster().diskUsableBytes() < 0) {
      Polling.pause(); // it is asked once a second
    }
    assertThat(nodes.get("a").health().reasons())
        .extracting(HealthReason::code)
        .contains(HealthReason.NO_MAJORITY, HealthReason.DISK_NEARLY_FULL);
    nodes.closeNode("a"); // its options are others
  }

  @Test
  void nodeOnALostOrOldDirectoryIsRefused() throws Exception {
    Path own = nodes.directoryOf("c");
    Path old = directory.resolve("old");
    add("c", "sql", "x", 0, 1);
    nodes.closeNode("c");
    copy(own, old);
    nodes.openNode("c");
    nodes.awaitReady();
    nodes.closeNode("c");
    Path last = directory.resolve("last");
    Files.move(own, last);

    Files.move(old, own);
    assertRefused(
        "c", ClusterException.Reason.INCARNATION, "runs on an older copy of its data directory");
    Files.move(own, directory.resolve("old-opened"));
    assertRefused(
        "c",
        ClusterException.Reason.INCARNATION,
        "is a member with another data directory than the one it runs on now");
    assertThat(own.resolve("shards/0000/log")).doesNotExist();

    assertThat(add("a", "sql", "x", 1, 1)).isEqualTo(2);
    Files.move(own, directory.resolve("fresh"));
    Files.move(last, own);
    nodes.openNode("c");
    nodes.awaitReady();
    assertThat(add("c", "sql", "x", 2, 1)).isEqualTo(3);

    nodes.closeNode("b");
    Path log = nodes.directoryOf("b").resolve("shards/0001/log");
    Path lost = directory.resolve("log-that-is-lost");
    Files.move(log, lost);
    nodes.openNode("b"); // the other shards are sound
    assertThat(nodes.get("b").shards().get(1).failure())
        .contains("give the node its own directory back");
    assertThat(nodes.get("b").health().reasons())
        .extracting(HealthReason::code)
        .contains(HealthReason.SHARD_STOPPED);
    nodes.awaitReady(); // the owners of all shards answer it
    for (int i = 0; i < 12; i++) {
      assertThat(add("b", "sql", "l" + i, 0, 1)).isEqualTo(1);
    }
    nodes.closeNode("b");
    Files.move(lost, log);
  }

  @Test
  void copyWithWhatItsLogTookBackIsMadeAgain() throws Exception {
    for (int i = 0; i < 12; i++) {
      add("a", "sql", "t" + i, 0, i + 1);
    }
    nodes.closeNode("c");
    Path shard = nodes.directoryOf("c").resolve("shards/0001");
    Files.write(shard.resolve("log/taken-back"), takenBack(3));
    Path later = nodes.directoryOf("c").resolve("shards/0002");
    Files.write(later.resolve("log/taken-back"), takenBack(0)); // which no replica ever has

    nodes.openNode("c");
    nodes.awaitReady();

    assertThat(shard.resolve("set-aside-3/saved")).exists();
    assertThat(later.resolve("set-aside-0")).doesNotExist();
    nodes.move(1, "c");
    for (int i = 0; i < 12; i++) {
      assertThat(add("c", "sql", "t" + i, i + 1, 1)).isEqualTo(i + 2);
    }
    nodes.awaitAllAlike();
    assertThat(shard.resolve("log/taken-back")).doesNotExist();
    assertThat(shard.resolve("log/set-aside")).doesNotExist();
  }

  /** {@return the file that docs/formats/log-ratis.md describes} */
  private static byte[] takenBack(long index) {
    byte[] content = new byte[32];
    ByteBuffer bytes = ByteBuffer.wrap(content);
    bytes.putLong(0x4846434F4D504121L).putInt(1).putInt(0).putLong(index).putLong(0);
    CRC32C crc = new CRC32C();
    crc.update(content, 0, 12);
    crc.update(content, 16, 16);
    bytes.putInt(12, (int) crc.getValue());
    return content;
  }

  /** The others refuse a node when it opens, or a little later if they are slow to answer. */
  private void assertRefused(String node, ClusterException.Reason reason, String why) {
    try {
      nodes.openNode(node);
    } catch (ClusterException e) {
      assertThat(e.reason()).isEqualTo(reason);
      assertThat(e).hasMessageContaining(why);
      return;
    }
    assertThat(awaitEnd(node).text()).contains(why);
    nodes.closeNode(node);
  }

  private HealthReason awaitEnd(String node) {
    while (true) {
      for (HealthReason each : nodes.get(node).health().reasons()) {
        if (each.code().equals(HealthReason.NODE_REFUSED) && each.state() == HealthState.DOWN) {
          return each;
        }
      }
      Polling.pause();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }

  @Test
  void shardsMoveAndNodesAreDrained() throws Exception {
    for (int i = 0; i < 12; i++) {
      add("a", "sql", "m" + i, 0, 1);
    }
    String owner = nodes.get("a").shards().getFirst().owner();
    String target = nodes.names().stream().filter(name -> !name.equals(owner)).toList().getFirst();
    String third = nodes.names().stream().filter(name -> !name.equals(owner)).toList().getLast();
    long epoch = nodes.get("a").shards().getFirst().epoch();

    ThreeNodes.move(nodes.get(third), 0, target);
    nodes.get(third).transfer(0, target); // it has it already

    nodes.awaitReady();
    assertThat(nodes.get(target).shards().getFirst().owner()).isEqualTo(target);
    assertThat(nodes.get(target).shards().getFirst().epoch()).isGreaterThan(epoch);
    assertThatThrownBy(() -> nodes.get("a").transfer(0, "z"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not a member");
    assertThatThrownBy(() -> nodes.get("a").transfer(3, "a"))
        .isInstanceOf(IllegalArgumentException.class);

    ThreeNodes.drain(nodes.get(target));
    ThreeNodes.drain(nodes.get(target));

    assertThat(nodes.get(target).shards())
        .allMatch(shard -> !shard.isOpenHere() && !target.equals(shard.owner()));
    for (int i = 0; i < 12; i++) {
      assertThat(add(target, "sql", "m" + i, 1, 1)).isEqualTo(2);
    }

    nodes.closeNode(third);
    String left = nodes.get(owner).shards().getFirst().owner();
    assertThatThrownBy(() -> nodes.get(owner).transfer(0, third))
        .isInstanceOfSatisfying(
            ClusterException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(ClusterException.Reason.NOT_MOVED));
    while (nodes.get(owner).health().reasons().stream()
        .noneMatch(each -> each.code().equals(HealthReason.MEMBER_AWAY))) {
      Polling.pause(); // it is found when the node is met next
    }
    for (int i = 0; i < 12; i++) {
      assertThat(add(owner, "sql", "m" + i, 2, 1)).as(left).isEqualTo(3);
    }
    nodes.closeNode(target); // it is drained
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void clusterOfOneIsMadeFromTheCopyOfANode() throws Exception {
    Map<String, byte[]> saved = new TreeMap<>();
    for (String file : SAVED) {
      saved.put(file, Files.readAllBytes(nodes.directoryOf("c").resolve(file)));
    }
    nodes.closeNode("b"); // what is acknowledged from now on is on a and c
    Map<String, Long> acknowledged = new TreeMap<>();
    for (String namespace : List.of("sql", "keys")) {
      for (int i = 0; i < 6; i++) {
        String name = "r" + i;
        acknowledged.put(namespace + name, add("a", namespace, name, 0, i + 1));
      }
    }
    assertThatThrownBy(() -> ClusterHoldfast.recover(nodes.directoryOf("c"), false))
        .isInstanceOf(DirectoryInUseException.class);
    Path nothing = directory.resolve("no-node");
    assertThatThrownBy(() -> ClusterHoldfast.recover(nothing, false))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is not one of a node");
    assertThat(nothing).doesNotExist();

    nodes.closeNode("c");
    Path survivor = directory.resolve("survivor");
    copy(nodes.directoryOf("c"), survivor);
    for (String file : SAVED) { // as if it was killed: what was acknowledged is in its logs only
      Files.write(survivor.resolve(file), saved.get(file));
    }
    ClusterOptions old = nodes.options("c");
    ClusterOptions alone = old.members("c=127.0.0.1:" + old.addresses().get(old.self()).getPort());

    List<RecoveredShard> shards = recoverAfterFailures(survivor, alone);

    assertThat(shards).hasSize(3).allMatch(shard -> shard.lastPosition() > 0);
    assertThat(shards).allMatch(shard -> shard.lastWritten() != null);
    assertThat(Files.readString(survivor.resolve("node"))).doesNotContain("member.");
    for (int round = 0; round < 2; round++) { // the second one finds the new logs
      try (ClusterRuntime runtime =
          ClusterHoldfast.open(survivor, alone, ThreeNodesTest::register)) {
        assertThat(runtime.awaitReady(Duration.ofMinutes(2))).isTrue();
        assertThat(runtime.members()).containsExactly("c");
        int again = round;
        acknowledged.forEach(
            (key, count) ->
                assertThat(
                        runtime
                            .namespace(key.substring(0, key.length() - 2), Counter.class)
                            .getByName(key.substring(key.length() - 2))
                            .add(1))
                    .isEqualTo(count + 1 + again));
        if (round == 0) {
          assertRefused("b", ClusterException.Reason.RECOVERED, "Move the directory away");
          awaitEnd("a"); // it comes to the address of c again and again
        }
      }
    }
    nodes.closeNode("a");
  }

  private static final List<String> SAVED =
      List.of("shards/0000/saved", "shards/0001/saved", "shards/0002/saved");

  /** With a disk that fails at one write after the other, as a process that is killed there. */
  private static List<RecoveredShard> recoverAfterFailures(Path data, ClusterOptions options) {
    int refused = 0;
    for (int write = 1; ; write++) {
      try {
        List<RecoveredShard> shards =
            new LastNode(data, failingAt(write), new Random(write)).recover(false);
        assertThat(refused).as("openings in the middle of a recovery").isPositive();
        return shards;
      } catch (DataDirectoryException e) {
        assertThat(e).hasStackTraceContaining("the test fails this write");
      }
      if (Files.exists(data.resolve("node"))
          && NodeFile.existing(new FileDisk(), data).isRecovering()) {
        refused++;
        assertThatThrownBy(() -> ClusterHoldfast.open(data, options, ThreeNodesTest::register))
            .isInstanceOf(DataDirectoryException.class)
            .hasMessageContaining("Repeat");
      }
    }
  }

  private static Disk failingAt(int write) {
    Set<String> writes = Set.of("replace", "forceDirectory", "delete", "move");
    Disk disk = new FileDisk();
    AtomicInteger count = new AtomicInteger();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              if (writes.contains(method.getName()) && count.incrementAndGet() == write) {
                throw new IOException("the test fails this write");
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void damagedSegmentsAreFetchedFromAnotherNode() throws Exception {
    byte[] bytes = new byte[120_000];
    Random random = new Random(1);
    while (true) {
      random.nextBytes(bytes);
      counters("a", "keys").getByName("big").fill(bytes);
      Optional<ShardStatus> filled = shardWithASealedSegment();
      if (filled.isPresent()) {
        repair(filled.get());
        break;
      }
    }
  }

  private Optional<ShardStatus> shardWithASealedSegment() {
    return nodes.get("a").shards().stream()
        .filter(
            shard ->
                nodes.names().stream()
                    .allMatch(
                        node -> {
                          SealedSegments sealed =
                              ((ClusterNode) nodes.get(node)).shard(shard.shard()).sealed();
                          return sealed != null && sealed.after(0).isPresent();
                        }))
        .findFirst();
  }

  private void repair(ShardStatus filled) throws Exception {
    int shard = filled.shard();
    nodes.awaitReady();
    String owner = nodes.get("a").shards().get(shard).owner();
    String node = "a".equals(owner) ? "b" : "a";
    ClusterNode damaged = (ClusterNode) nodes.get(node);
    Path segment =
        nodes
            .directoryOf(node)
            .resolve("shards/%04d/journal/0000000000000001.log".formatted(shard));
    byte[] whole = Files.readAllBytes(segment);
    int end = whole.length - 1;
    while (whole[end] == 0) {
      end--;
    }
    long newest = end - 1000; // behind what the node has in its own files: it has to read it

    damage(segment, newest);
    try (Recording recording = new Recording()) {
      recording.enable("dev.holdfast.Fetch").withoutThreshold();
      recording.start();
      assertThat(damaged.check().checkAll(damaged.shard(shard))).isEqualTo(1);
      recording.stop();
      Path file = directory.resolve("fetches.jfr");
      recording.dump(file);
      assertThat(RecordingFile.readAllEvents(file))
          .filteredOn(event -> event.getEventType().getName().equals("dev.holdfast.Fetch"))
          .anyMatch(
              fetch ->
                  fetch.getInt("shard") == shard
                      && owner.equals(fetch.getString("node"))
                      && fetch.getLong("bytes") > 0);
    }
    assertThat(Files.readAllBytes(segment)).isEqualTo(whole);
    assertThat(damaged.check().checkAll(damaged.shard(shard))).isZero();

    damage(segment, newest);
    nodes.move(
        shard, node); // it cannot open the objects, passes the shard on, and gets the segment
    Path expected = Files.write(directory.resolve("whole"), whole);
    while (Files.mismatch(segment, expected) >= 0) {
      Polling.pause();
    }
    nodes.move(shard, node);
    nodes.awaitReady();

    damage(segment, newest); // now it is the owner
    assertThat(damaged.check().checkAll(damaged.shard(shard))).isEqualTo(1);
    assertThat(Files.readAllBytes(segment)).isEqualTo(whole);
    nodes.awaitReady();
    assertThat(damaged.shards().get(shard).owner()).isNotEqualTo(node);
    assertThat(counters("c", "keys").getByName("big").add(1)).isEqualTo(1);
  }

  private static void damage(Path file, long offset) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(offset);
      int before = open.read();
      open.seek(offset);
      open.write(before ^ 1);
    }
  }
}
