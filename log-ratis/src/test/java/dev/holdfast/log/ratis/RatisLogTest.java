package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.protocol.TermIndex;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** What the contract of a log leaves open: how this one refuses, stops and drops. */
final class RatisLogTest {

  private static final int MEBIBYTE = 1 << 20;

  @TempDir private static Path directory;

  private static ThreeNodes cluster;
  private static int shards;

  @BeforeAll
  static void openNodes() {
    cluster =
        ThreeNodes.open(directory, options -> options.withLogBytes(2 * MEBIBYTE, 4 * MEBIBYTE));
  }

  @AfterAll
  static void closeNodes() {
    cluster.close();
  }

  private final int number = shards++;
  private final OneShard shard = new OneShard(cluster, number);
  private int appended;

  @Test
  void proposalOfAFollowerIsRefused() {
    NodeId follower = shard.follower();
    AtomicBoolean isRefused = new AtomicBoolean();

    shard
        .log(follower)
        .propose(ByteBuffer.allocate(16), () -> shard.watched.change(() -> isRefused.set(true)));

    shard.watched.await("a refusal", isRefused::get);
  }

  @Test
  void proposalOfAClosedLogIsNotRefused() {
    NodeId follower = shard.follower();
    RatisLog log = shard.log(follower);
    shard.stop(follower);
    AtomicBoolean isRefused = new AtomicBoolean();

    log.propose(ByteBuffer.allocate(16), () -> isRefused.set(true));

    shard.append("others go on", 16);
    assertThat(isRefused).isFalse();
  }

  /** Else a node would be stopped because of what an owner does not know. */
  @Test
  void memberThatLeadsNoMoreSaysOfNoOtherOneThatItHasAll() {
    shard.append("before", 16);
    NodeId leader = shard.leader();
    List<NodeId> others = ThreeNodes.NAMES.stream().filter(node -> !node.equals(leader)).toList();

    others.forEach(shard::stop);
    while (shard.log(leader).isLeader()) {
      Polling.pause();
    }

    assertThat(shard.log(leader).behind(100)).containsExactlyInAnyOrderElementsOf(others);
  }

  @Test
  void fileThatAKillHasLeftIsDeleted() throws IOException {
    NodeId node = shard.follower();
    shard.stop(node);
    Path left =
        RatisNode.directoryOf(directory.resolve(node.name()), number).resolve("buffer17.tmp");
    Files.createFile(left);

    shard.start(node, 0);

    assertThat(left).doesNotExist();
    shard.append("goes on", 16);
  }

  /** The engine ends the process then, unless an option of it forbids this. */
  @Test
  void addressThatIsInUseIsRefused() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      NodeId node = new NodeId("taken");
      InetSocketAddress address =
          new InetSocketAddress(taken.getInetAddress(), taken.getLocalPort());
      RatisOptions options =
          RatisOptions.onLoopback("test", node, directory.resolve("taken"), Map.of(node, address));
      assertThatThrownBy(() -> RatisNode.open(options))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("Node taken cannot listen on")
          .hasMessageContaining(":" + taken.getLocalPort());
    }
  }

  /** Ratis alone appends on the common pool, of which an application may block all threads. */
  @Test
  void blockedCommonPoolHoldsNoEntry() throws InterruptedException {
    shard.append("before", 16);
    int threads = ForkJoinPool.getCommonPoolParallelism();
    CountDownLatch blocked = new CountDownLatch(threads);
    Semaphore goOn = new Semaphore(0);
    for (int i = 0; i < threads; i++) {
      ForkJoinPool.commonPool()
          .execute(
              () -> {
                blocked.countDown();
                goOn.acquireUninterruptibly();
              });
    }
    blocked.await();
    try {
      shard.append("meanwhile", 16);
    } finally {
      goOn.release(threads);
    }
  }

  @Test
  void entryWithoutBytesReachesNoReplica() {
    shard.log(shard.leader()).propose(ByteBuffer.allocate(0), () -> {});

    shard.append("after it", 16);
    assertThat(ThreeNodes.NAMES).noneMatch(node -> shard.replica(node).has(""));
  }

  /** The engine takes the errors of all threads, and ends the process. */
  @Test
  void errorsOfOtherThreadsAreLeftToTheApplication() {
    assertThat(cluster.node(ThreeNodes.NAMES.getFirst())).isNotNull();

    assertThat(Thread.getDefaultUncaughtExceptionHandler())
        .as("the handler, which no application has set here")
        .isNull();
  }

  @Test
  void shardIsOpenOnceOnANode() {
    RatisNode node = cluster.node(ThreeNodes.NAMES.getFirst());

    assertThatThrownBy(() -> node.log(number, stopped -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is open");
  }

  @Test
  void failureOfAReplicaStopsItsLogAndIsTold() {
    NodeId failing = shard.follower();
    shard.replica(failing).failFromNowOn();
    AtomicBoolean isRefused = new AtomicBoolean();
    shard.log(shard.leader()).propose(ByteBuffer.allocate(16), () -> {});

    LogStoppedException told = shard.awaitStop(failing);

    assertThat(told)
        .hasMessageContaining("Open the shard here again")
        .hasCauseInstanceOf(DataDirectoryException.class);
    assertThat(shard.log(failing).failure()).isSameAs(told);
    shard
        .log(failing)
        .propose(ByteBuffer.allocate(16), () -> shard.watched.change(() -> isRefused.set(true)));
    shard.watched.await("a refusal", isRefused::get);
  }

  @Test
  void failureOfTheLeadersReplicaLetsAnotherLead() {
    NodeId failing = shard.leader();
    shard.replica(failing).failFromNowOn();
    shard.log(failing).propose(ByteBuffer.allocate(16), () -> {});
    shard.awaitStop(failing);
    shard.stop(failing);

    shard.append("goes on", 16);

    assertThat(shard.leader()).isNotEqualTo(failing);
  }

  @Test
  void entriesThatReplicasHaveAreDropped() throws IOException {
    NodeId node = shard.follower();
    appendUntilDropped(node);
    long last = shard.replica(node).lastIndex();
    shard.stop(node);

    shard.start(node, last);
    shard.append("after restart", 16);

    assertThat(shard.replica(node).texts()).containsExactly("after restart");
  }

  /** Ratis makes another appender, which begins with an entry that the leader has dropped. */
  @Test
  void memberWhoseAppenderHasFailedGoesOnThoughEntriesAreDropped() throws IOException {
    appendUntilDropped(shard.leader());
    LeaderState leader = RestartedAppenderTest.leaderOf(shard);

    leader.restart(RestartedAppenderTest.appender(leader, shard.follower()));

    shard.append("after it", 16); // until each of the three has it
  }

  @Test
  void entriesThatAMemberLacksAreKeptForIt() throws IOException {
    NodeId away = shard.follower();
    long last = shard.replica(away).lastIndex();
    shard.stop(away);
    NodeId node = shard.leader();
    for (int i = 0; i < 3; i++) { // more than a segment, less than what is kept
      appendNext();
    }

    shard.start(away, last);
    shard.append("back", 16);

    assertThat(hasDropped(node)).isFalse();
    assertThat(shard.replica(away).texts()).contains("entry 0", "entry 1", "entry 2", "back");
  }

  @Test
  void logSaysWhetherItsFilesMayHaveAnEntry() throws IOException {
    NodeId node = shard.leader();
    appendNext();
    assertThat(shard.log(node).mayHave(1)).isTrue();

    appendUntilDropped(node);

    assertThat(shard.log(node).mayHave(1)).isFalse();
    assertThat(shard.log(node).mayHave(shard.replica(node).lastIndex())).isTrue();
  }

  @Test
  void memberThatIsTooFarBehindStopsAndIsTold() throws IOException {
    NodeId away = shard.follower();
    long last = shard.replica(away).lastIndex();
    shard.stop(away);
    appendUntilDropped(shard.leader());
    appendUntilDropped(shard.follower());

    shard.start(away, last);

    assertThat(shard.awaitStop(away)).hasMessageContaining("Remove it from the shard");
  }

  @Test
  void memberThatIsTooFarBehindFetchesAndGoesOn() throws IOException {
    NodeId away = shard.follower();
    long last = shard.replica(away).lastIndex();
    List<String> before = shard.replica(away).texts();
    shard.stop(away);
    appendUntilDropped(shard.leader());
    appendUntilDropped(shard.follower());
    NodeId source = shard.leader();
    RecordingReplica behind = new RecordingReplica(shard.watched, last);
    List<String> statedBefore = new ArrayList<>();
    behind.fetchFrom(
        shard.log(source),
        shard.replica(source),
        index -> {
          statedBefore.add(stated(away, CompactedFile.FETCHED_NAME) + " of " + index);
          statedBefore.add(stated(away, CompactedFile.NAME) + " before");
        });

    shard.start(away, behind);
    shard.append("may be fetched", 16);
    shard.append("from the log", 16);

    assertThat(before).isEmpty();
    long fetched = behind.fetched();
    assertThat(fetched).isPositive();
    assertThat(statedBefore).containsExactly(fetched + " of " + fetched, "0 before");
    assertThat(stated(away, CompactedFile.NAME)).isEqualTo(fetched);
    assertThat(behind.texts()).isEqualTo(shard.replica(source).texts());

    // It has dropped what it had before, and begins after that.
    shard.stop(away);
    shard.start(away, behind.lastIndex());
    shard.append("after a restart", 16);
    assertThat(shard.replica(away).texts()).containsExactly("after a restart");
    assertThat(shard.replica(away).fetched()).isZero();

    // It can lead.
    shard.log(shard.leader()).transferTo(away);
    shard.watched.await("it leads", () -> shard.replica(away).leads());
    shard.append("as the leader", 16);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void memberThatWasKilledAfterItFetchedGoesOn() throws IOException {
    NodeId away = shard.follower();
    long last = shard.replica(away).lastIndex();
    shard.stop(away);
    appendUntilDropped(shard.leader());
    appendUntilDropped(shard.follower());
    long fetched = shard.replica(shard.leader()).lastIndex();
    TermIndex place =
        TermIndex.valueOf(shard.log(shard.leader()).termOf(fetched).orElseThrow(), fetched);
    CompactedFile file = new CompactedFile(new FileDisk(), logOf(away), CompactedFile.FETCHED_NAME);

    // Killed before its replica had it: the file means nothing.
    file.write(place);
    shard.start(away, last);
    assertThat(shard.awaitStop(away)).hasMessageContaining("Remove it from the shard");
    shard.stop(away);
    assertThat(file.read()).isNull();

    // Killed after its replica had it.
    file.write(place);
    shard.start(away, fetched);
    shard.append("from the log", 16);
    assertThat(shard.replica(away).texts()).containsExactly("from the log");
    assertThat(file.read()).isNull();

    // Killed before the file was deleted, and the log has gone on.
    long more = shard.replica(away).lastIndex();
    shard.stop(away);
    file.write(place);
    shard.start(away, more);
    shard.append("again", 16);
    assertThat(shard.replica(away).texts()).containsExactly("again");
  }

  @Test
  void replicaWithoutItsLogIsRefused() throws IOException {
    NodeId node = shard.follower();
    shard.append("entry", 16);
    long last = shard.replica(node).lastIndex();
    shard.stop(node);
    deleteLog(node);

    assertThatThrownBy(() -> shard.start(node, last))
        .isInstanceOf(LogStoppedException.class)
        .hasMessageContaining("is missing")
        .hasMessageContaining("own directory back");
  }

  /**
   * No fault of the log is known that lets this happen, so the replica claims to have the entry.
   */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void replicaWithWhatTheLogTookBackStaysClosed() throws Exception {
    NodeId deposed = shard.leader();
    List<NodeId> others = ThreeNodes.NAMES.stream().filter(node -> !node.equals(deposed)).toList();
    shard.stop(others.getFirst());
    OfflineLog files = new OfflineLog(cluster.options(deposed).directory(), "test", number);
    proposeWhileCloses(shard.log(others.getLast()), shard.log(deposed), files);
    long alone = files.last();
    assertThat(alone).isGreaterThan(shard.replica(deposed).lastIndex());
    shard.stop(deposed);
    shard.stop(others.getLast());
    others.forEach(node -> shard.start(node, shard.replica(node).lastIndex()));
    shard.append("from the others", 16);

    shard.start(deposed, alone);

    String reason = "back, and the replica has it. Remove this node from the cluster";
    assertThat(shard.awaitStop(deposed)).hasMessageContaining(reason);
    shard.stop(deposed);
    assertThat(files.examine(OptionalLong.of(alone))).isEqualTo(OfflineLog.Condition.TAKEN_BACK);
    assertThatThrownBy(() -> shard.start(deposed, alone))
        .isInstanceOf(LogStoppedException.class)
        .hasMessageContaining(reason);
  }

  /** The last entries of the leader are on no other disk then: it leads on for a moment. */
  private static void proposeWhileCloses(RatisLog other, RatisLog leader, OfflineLog files)
      throws InterruptedException {
    byte[] entry = "nobody else's   ".getBytes(StandardCharsets.US_ASCII);
    Thread closing = Thread.ofPlatform().start(other::close);
    do {
      leader.propose(ByteBuffer.wrap(entry), () -> {});
      files.examine(OptionalLong.empty()); // takes as long as a few entries may
    } while (closing.isAlive());
    closing.join();
  }

  /** {@return the entry that a file beside the log states; 0 if there is none} */
  private long stated(NodeId node, String file) {
    try {
      TermIndex entry = new CompactedFile(new FileDisk(), logOf(node), file).read();
      return entry == null ? 0 : entry.getIndex();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void appendUntilDropped(NodeId node) throws IOException {
    for (int i = 0; !hasDropped(node); i++) {
      assertThat(i).as("entries of almost 1 MiB").isLessThan(60);
      appendNext();
    }
  }

  /** With another text each time: one that was appended before would not be waited for. */
  private void appendNext() {
    shard.append("entry " + appended++, MEBIBYTE - 1000);
    for (NodeId each : ThreeNodes.NAMES) {
      if (shard.isRunning(each)) {
        shard.log(each).compactTo(shard.replica(each).lastIndex());
      }
    }
  }

  /** {@return whether the first file of the log is gone} */
  private boolean hasDropped(NodeId node) throws IOException {
    return lacksFirstFile(node) && lacksFirstFile(node); // see logFiles
  }

  private boolean lacksFirstFile(NodeId node) throws IOException {
    return logFiles(node).stream()
        .noneMatch(file -> String.valueOf(file.getFileName()).matches("log_(inprogress_)?0(-.*)?"));
  }

  /**
   * The oldest first. Lists names only: Ratis renames files meanwhile, and a walk fails on one that
   * is gone. A file that is being renamed may be missing in a list, and be the only one.
   */
  private List<Path> logFiles(NodeId node) throws IOException {
    List<Path> found = new ArrayList<>();
    while (found.isEmpty()) {
      try (DirectoryStream<Path> groups = Files.newDirectoryStream(logOf(node), "*-*-*-*-*")) {
        for (Path group : groups) {
          try (DirectoryStream<Path> segments =
              Files.newDirectoryStream(group.resolve("current"), "log_*")) {
            segments.forEach(found::add);
          }
        }
      }
    }
    found.sort(Comparator.comparing(RatisLogTest::firstIndex));
    return found;
  }

  private Path logOf(NodeId node) {
    return directory.resolve(node.name()).resolve("%04d".formatted(number)).resolve("log");
  }

  private void deleteLog(NodeId node) throws IOException {
    try (Stream<Path> all = Files.walk(logOf(node))) {
      for (Path each : all.sorted((one, other) -> other.compareTo(one)).toList()) {
        Files.delete(each);
      }
    }
  }

  @Test
  void entriesAreReadOfALogThatIsNotOpen() throws Exception {
    for (int i = 0; i < 5; i++) {
      shard.append("entry " + i, MEBIBYTE - 100); // two in a file
    }
    shard.append("the last", 16);
    NodeId node = shard.follower();
    List<String> texts = shard.replica(node).texts();
    shard.stop(node);
    Path shards = cluster.options(node).directory();
    OfflineLog log = new OfflineLog(shards, "test", number);
    RecordingReplica all = new RecordingReplica(shard.watched, 0);
    RecordingReplica rest =
        new RecordingReplica(shard.watched, shard.replica(node).lastIndex() - 1);

    assertThat(log.examine(OptionalLong.empty())).isEqualTo(OfflineLog.Condition.WHOLE);
    log.start(all);
    log.start(rest);

    assertThat(all.texts()).isEqualTo(texts);
    assertThat(rest.texts()).containsExactly("the last");
    assertThat(new OfflineLog(shards, "other", number).examine(OptionalLong.empty()))
        .isEqualTo(OfflineLog.Condition.MISSING);
    List<Path> files = logFiles(node);
    damage(files.getLast(), "the last");
    assertThat(log.examine(OptionalLong.empty()))
        .isEqualTo(OfflineLog.Condition.DAMAGED_AT_THE_END);
    RecordingReplica most = new RecordingReplica(shard.watched, 0);
    log.start(most);
    assertThat(most.texts()).isEqualTo(texts.subList(0, texts.size() - 1));
    damage(files.getFirst(), "entry 0");
    assertThatThrownBy(() -> log.examine(OptionalLong.empty()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("Use the copy of another node");
    Files.delete(files.get(1));
    assertThatThrownBy(() -> log.examine(OptionalLong.empty()))
        .isInstanceOf(DataDirectoryException.class);
  }

  private static long firstIndex(Path file) {
    String name = String.valueOf(file.getFileName()).replace("log_inprogress_", "log_");
    return Long.parseLong(name.substring("log_".length()).replaceFirst("-.*", ""));
  }

  private static void damage(Path file, String text) throws IOException {
    byte[] content = Files.readAllBytes(file);
    int place = new String(content, StandardCharsets.ISO_8859_1).indexOf(text);
    assertThat(place).isPositive();
    content[place]++;
    Files.write(file, content);
  }
}
