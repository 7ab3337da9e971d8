package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.cluster.catchup.Rounds;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.verify.Severity;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.verify.Verification;
import dev.holdfast.verify.VerifyReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The owners of the shards archive, one after the other, and a new cluster is made of that. */
final class ArchivedClusterTest {

  private static final int SHARDS = 2;
  private static final long SEGMENT_BYTES = 64 << 10;

  /** Rounds after two segments: each node has its own files, saved at its own times. */
  private static final ClusterNode.Settings SMALL =
      ClusterNode.Settings.DEFAULT
          .withRounds(new Rounds.Limits(2 * SEGMENT_BYTES, Long.MAX_VALUE / 128))
          .withJournalSegment(SEGMENT_BYTES);

  private static final List<String> NAMESPACES = List.of("rows", "pairs");
  private static final int OBJECTS = 8;

  interface Counter {
    long add(byte[] note);

    long count();
  }

  record CounterObject(ObjectContext context) implements Counter {
    @Override
    public long add(byte[] note) {
      long count = count() + 1;
      context.storage().put("count", count);
      context.storage().put("note " + count % 5, note);
      return count;
    }

    @Override
    public long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }
  }

  @TempDir private Path directory;

  private ArchiveOptions archive = ArchiveOptions.to(new DirectoryArchive(Path.of("unused")));
  private final Map<String, Long> counts = new TreeMap<>();

  @BeforeEach
  void nameThePlace() {
    archive =
        ArchiveOptions.to(new DirectoryArchive(place()))
            .withInterval(Duration.ofMillis(20))
            .withBaseBytes(3 * SEGMENT_BYTES);
  }

  private Path place() {
    return directory.resolve("archive");
  }

  private Consumer<ObjectRegistrar> objects(long historyBytesMax) {
    ArchiveOptions given = archive;
    return objects -> {
      objects.options(
          RuntimeOptions.DEFAULT.withArchive(given).withHistoryBytesMax(historyBytesMax));
      namespaces(objects);
    };
  }

  private static void namespaces(ObjectRegistrar objects) {
    objects.namespace("rows", Counter.class, CounterObject::new);
    objects.namespace(
        "pairs",
        Counter.class,
        CounterObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void newClusterIsMadeOfWhatSeveralOwnersHaveArchived() throws Exception {
    ClusterOptions alone;
    Map<String, Long> middle;
    Instant moment;
    try (ThreeNodes nodes = ThreeNodes.open(directory, SHARDS, objects(0), SMALL)) {
      alone = nodes.alone();
      for (String owner : List.of("a", "b", "c", "b")) {
        for (int shard = 0; shard < SHARDS; shard++) {
          nodes.move(shard, owner);
        }
        nodes.awaitReady();
        write(nodes.get("a"), 30, 10_000);
        awaitImage(nodes.get(owner));
        write(nodes.get("c"), 2, 1_000);
      }
      middle = Map.copyOf(counts);
      moment = Instant.now();
      while (!Instant.now().isAfter(moment.plusMillis(50))) {
        Polling.pause(); // the times of records are whole milliseconds
      }
      write(nodes.get("b"), 3, 1_000);
      awaitArchived(nodes.get("b"));
    }

    List<RestoreResult> latest = restore("latest", alone, new RestoreTarget.Latest());
    assertThat(latest).hasSize(SHARDS).allMatch(shard -> shard.position() > 0);
    for (int shard = 0; shard < SHARDS; shard++) { // not from its first record
      assertThat(directory.resolve("latest/shards/000" + shard + "/bases")).exists();
    }
    assertThat(countsOf(alone, "latest")).isEqualTo(counts);

    restore("earlier", alone, new RestoreTarget.AtTime(moment));
    assertThat(countsOf(alone, "earlier")).isEqualTo(middle);

    for (int shards : List.of(1, 3, 64)) {
      ClusterOptions other = alone.withShards(shards);
      assertThat(restore("of " + shards, other, new RestoreTarget.Latest())).hasSize(shards);
      VerifyReport report =
          Verification.run(directory.resolve("of " + shards), directory, /* isDeep= */ true);
      assertThat(report.findings()).noneMatch(each -> each.severity() == Severity.ERROR);
      assertThat(countsOf(other, "of " + shards)).isEqualTo(counts);
    }
    ClusterOptions other = alone.withShards(3);
    restore("earlier of 3", other, new RestoreTarget.AtTime(moment));
    assertThat(countsOf(other, "earlier of 3")).isEqualTo(middle);

    assertThatThrownBy(() -> restore("latest", alone, new RestoreTarget.Latest()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("not empty");
    assertThatThrownBy(
            () ->
                Holdfast.restore(
                    new DirectoryArchive(place().resolve("shards/0000")),
                    directory.resolve("shard"),
                    RestoreRequest.of(new RestoreTarget.Latest())))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("cluster restore");
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void restoredClusterGrowsAndGoesOnArchiving() throws Exception {
    try (ThreeNodes nodes = ThreeNodes.open(directory, SHARDS, objects(0), SMALL)) {
      write(nodes.get("a"), 40, 10_000);
      nodes.names().forEach(node -> awaitArchived(nodes.get(node)));
      nodes.names().forEach(nodes::closeNode);

      ClusterOptions alone = nodes.alone();
      restore("first", alone, new RestoreTarget.Latest());
      ClusterOptions added =
          nodes
              .optionsOfFourth("test")
              .members("a=" + nodes.addressOf("a"))
              .node("d", nodes.fourth().substring("d=".length()));
      try (ClusterRuntime first =
              ClusterHoldfast.open(directory.resolve("first"), alone, objects(0));
          ClusterRuntime second =
              ClusterHoldfast.open(directory.resolve("second"), added, objects(0))) {
        first.awaitReady(Duration.ofMinutes(1));
        assertThat(countsOf(first)).isEqualTo(counts);
        ThreeNodes.untilChanged(() -> first.add(nodes.fourth()));
        for (int shard = 0; shard < SHARDS; shard++) {
          ThreeNodes.move(first, shard, "d");
        }
        write(first, 5, 1_000);
        assertThat(countsOf(second)).isEqualTo(counts);
        awaitArchived(second);
      }
      restore("again", alone, new RestoreTarget.Latest());
      assertThat(countsOf(alone, "again")).isEqualTo(counts);
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void shardThatNobodyHasWrittenToIsRestoredEmpty() throws Exception {
    ClusterOptions alone;
    try (ThreeNodes nodes = ThreeNodes.open(directory, SHARDS, objects(0))) {
      alone = nodes.alone();
      nodes.names().forEach(node -> awaitArchived(nodes.get(node)));
    }
    List<RestoreResult> restored = restore("empty", alone, new RestoreTarget.Latest());
    assertThat(restored).hasSize(SHARDS).allMatch(shard -> shard.position() == 0);
    assertThat(countsOf(alone, "empty").values()).containsOnly(0L);
  }

  @Test
  void placeOfAnotherClusterIsLeftAlone() throws Exception {
    ClusterOptions alone;
    try (ThreeNodes nodes = ThreeNodes.prepare(directory, SHARDS, objects(0))) {
      alone = nodes.alone();
    }
    try (ClusterRuntime first =
        ClusterHoldfast.open(directory.resolve("first"), alone, objects(0))) {
      first.awaitReady(Duration.ofMinutes(1));
      write(first, 1, 10);
      awaitArchived(first);
    }
    Map<String, Long> archived = Map.copyOf(counts);
    ClusterOptions other =
        ClusterOptions.of("other")
            .node("a")
            .members("a=127.0.0.1:" + FreePorts.pairs(1).getFirst())
            .withShards(SHARDS);
    try (ClusterRuntime second =
        ClusterHoldfast.open(directory.resolve("second"), other, objects(0))) {
      second.awaitReady(Duration.ofMinutes(1));
      while (second.statistics().archive().state() != ArchiveStatistics.State.STOPPED) {
        Polling.pause();
      }
      assertThat(second.health().reasons())
          .extracting(HealthReason::code)
          .contains(HealthReason.ARCHIVE_STOPPED);
    }
    restore("restored", alone, new RestoreTarget.Latest());
    assertThat(countsOf(alone, "restored")).containsAllEntriesOf(archived);
  }

  @Test
  void requestThatAClusterDoesNotOfferIsRefused() {
    ClusterOptions alone = ClusterOptions.of("test").node("a").members("a=127.0.0.1:1");
    RestoreRequest latest = RestoreRequest.of(new RestoreTarget.Latest());
    ArchiveStore store = new DirectoryArchive(place());
    Path target = directory.resolve("target");
    assertThatThrownBy(
            () -> ClusterHoldfast.restore(store, target, alone, latest.withNamespace("rows")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () ->
                ClusterHoldfast.restore(
                    store, target, alone, RestoreRequest.of(new RestoreTarget.AtPosition(7))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ClusterHoldfast.restore(store, target, alone, latest))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("has no archive");
    assertThat(target).doesNotExist();
  }

  @Test
  void registrationThatMakesAStoreEachTimeIsRefused() {
    ClusterOptions alone = ClusterOptions.of("test").node("a").members("a=127.0.0.1:1");
    assertThatThrownBy(
            () ->
                ClusterHoldfast.open(
                    directory.resolve("data"),
                    alone,
                    objects ->
                        objects.options(
                            RuntimeOptions.DEFAULT.withArchive(
                                ArchiveOptions.to(new DirectoryArchive(place()))))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("once, before the node is opened");
    assertThat(directory.resolve("data")).doesNotExist();
    assertThat(Files.exists(place())).isFalse();
  }

  // ---------------------------------------------------------------- what happens

  private void write(ClusterRuntime node, int times, int bytes) {
    for (int i = 0; i < times; i++) {
      for (String namespace : NAMESPACES) {
        Counter counter =
            node.namespace(namespace, Counter.class).getByName("object " + i % OBJECTS);
        byte[] note = new byte[bytes];
        note[0] = (byte) i;
        counts.compute(
            namespace + " " + i % OBJECTS,
            (_, before) ->
                ThreeNodes.addedOnce(
                    () -> counter.add(note), counter::count, before == null ? 0 : before));
      }
    }
  }

  private static Map<String, Long> countsOf(ClusterRuntime node) {
    Map<String, Long> found = new TreeMap<>();
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < OBJECTS; i++) {
        Counter counter = node.namespace(namespace, Counter.class).getByName("object " + i);
        found.put(namespace + " " + i, ThreeNodes.known(counter::count));
      }
    }
    return found;
  }

  private Map<String, Long> countsOf(ClusterOptions alone, String name) throws Exception {
    try (ClusterRuntime node =
        ClusterHoldfast.open(directory.resolve(name), alone, ArchivedClusterTest::namespaces)) {
      node.awaitReady(Duration.ofMinutes(1));
      return countsOf(node);
    }
  }

  private List<RestoreResult> restore(String name, ClusterOptions alone, RestoreTarget target) {
    return ClusterHoldfast.restore(
        new DirectoryArchive(place()), directory.resolve(name), alone, RestoreRequest.of(target));
  }

  private static void awaitArchived(ClusterRuntime node) {
    await(node, archived -> archived.lagNanos() == 0);
  }

  private static void awaitImage(ClusterRuntime node) {
    await(node, archived -> archived.basePosition() > 0);
  }

  private static void await(ClusterRuntime node, Predicate<ArchiveStatistics> wanted) {
    ArchiveStatistics found = node.statistics().archive();
    while (!wanted.test(found)) {
      Polling.pause();
      found = node.statistics().archive();
    }
  }
}
