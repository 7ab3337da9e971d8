package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.ArchiveRestore;
import dev.holdfast.cluster.member.RestoredDirectory;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.Polling;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.spi.verify.Severity;
import dev.holdfast.verify.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a single machine has becomes a cluster of any number of shards. */
class DividedDirectoryTest {

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final List<String> NAMESPACES = List.of("rows", "pairs");
  private static final int OBJECTS = 8;
  private static final RestoreRequest LATEST = RestoreRequest.of(new RestoreTarget.Latest());

  /** A text with a past. */
  public interface Label {

    /** Replaces the text, and emits it. */
    void write(String text);

    /** Sets an alarm, which replaces the text. */
    void ring(Duration later);

    /** Returns the text. */
    String read();
  }

  record LabelObject(ObjectContext context) implements Label, AlarmHandler {

    @Override
    public void write(String text) {
      context.storage().put("text", text);
      context.emit("labels", text);
    }

    @Override
    public void ring(Duration later) {
      context.storage().setAlarm(context.clock().instant().plus(later));
    }

    @Override
    public String read() {
      return context.storage().get("text", String.class).orElse("");
    }

    @Override
    public void alarm(AlarmInfo info) {
      context.storage().put("text", "rung");
    }
  }

  @TempDir private Path directory;
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  private static void register(ObjectRegistrar objects) {
    objects.namespace("rows", Label.class, LabelObject::new);
    objects.namespace(
        "pairs",
        Label.class,
        LabelObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  private static Map<String, String> texts(ObjectRuntime runtime) {
    Map<String, String> texts = new TreeMap<>();
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < OBJECTS; i++) {
        texts.put(namespace + i, label(runtime, namespace, i).read());
      }
    }
    return texts;
  }

  private static Label label(ObjectRuntime runtime, String namespace, int number) {
    return runtime.namespace(namespace, Label.class).getByName(namespace + number);
  }

  /** {@return when all objects had their first texts; then they get their second ones} */
  private Instant writeAlone(Path data, Consumer<ObjectRegistrar> objects) throws Exception {
    try (ObjectRuntime runtime = Holdfast.open(data, objects)) {
      return write(List.of(runtime), Duration.ofSeconds(1));
    }
  }

  /** Each runtime delivers the events of its shards. */
  private Instant write(List<? extends ObjectRuntime> runtimes, Duration ring) throws Exception {
    List<AutoCloseable> consumers = runtimes.stream().map(this::consume).toList();
    ObjectRuntime runtime = runtimes.getFirst();
    writeAll(runtime, "first");
    while (events.size() < 2 * OBJECTS) {
      Polling.pause();
    }
    for (AutoCloseable each : consumers) {
      each.close();
    }
    events.clear();
    label(runtime, "rows", 0).ring(ring);
    label(runtime, "pairs", 0).ring(ring);
    Instant moment = Instant.now().plusMillis(2);
    while (!Instant.now().isAfter(moment.plusMillis(2))) {
      Polling.pause();
    }
    writeAll(runtime, "second");
    return moment;
  }

  private AutoCloseable consume(ObjectRuntime runtime) {
    return runtime.consume(
        "labels",
        "index",
        String.class,
        batch -> batch.forEach(event -> events.add(event.value())));
  }

  private static void writeAll(ObjectRuntime runtime, String text) {
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < OBJECTS; i++) {
        label(runtime, namespace, i).write(text + " " + namespace + i);
      }
    }
  }

  private void check(ClusterRuntime node, Instant moment) throws Exception {
    for (String namespace : NAMESPACES) {
      while (!label(node, namespace, 0).read().equals("rung")) {
        Polling.pause();
      }
      for (int i = 1; i < OBJECTS; i++) {
        assertThat(label(node, namespace, i).read()).isEqualTo("second " + namespace + i);
        ObjectId id = node.namespace(namespace, Label.class).idFromName(namespace + i);
        String bookmark = node.recovery(namespace, id).bookmarkForTime(moment);
        String undo = node.admin().restoreNow(namespace, id, bookmark);
        assertThat(label(node, namespace, i).read()).isEqualTo("first " + namespace + i);
        node.admin().restoreNow(namespace, id, undo);
      }
    }
    AutoCloseable consumer = consume(node);
    List<String> found = new ArrayList<>();
    for (int i = 0; i < 2 * OBJECTS; i++) {
      found.add(events.take());
    }
    consumer.close();
    assertThat(found).allMatch(text -> text.startsWith("second")).doesNotHaveDuplicates();
    assertThat(events).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16})
  void dataDirectoryBecomesAClusterThatGrows(int shards) throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, shards, DividedDirectoryTest::register);
    Path source = directory.resolve("source");
    Instant moment = writeAlone(source, DividedDirectoryTest::register);
    Path data = nodes.directoryOf("a");
    assertThat(ClusterHoldfast.checkRestore(source).position()).isPositive();
    assertThat(ClusterHoldfast.restore(source, data, nodes.alone(), LATEST)).hasSize(shards);
    assertThatThrownBy(() -> ClusterHoldfast.restore(source, data, nodes.alone(), LATEST))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("not empty");
    assertThatThrownBy(() -> ClusterHoldfast.checkRestore(data))
        .isInstanceOf(DataDirectoryException.class);
    assertThat(Verification.run(data, directory, /* isDeep= */ true).findings()).isEmpty();
    ClusterRuntime a = ClusterHoldfast.open(data, nodes.alone(), nodes.objects());
    try {
      assertThat(a.awaitReady(LONG)).isTrue();
      check(a, moment);
      Map<String, String> texts = texts(a);
      try (ClusterRuntime b =
          ClusterHoldfast.open(
              nodes.directoryOf("b"), AdoptedNodeTest.waiting(nodes, "b"), nodes.objects())) {
        ThreeNodes.untilChanged(() -> a.add("b=" + nodes.addressOf("b")));
        for (int shard = 0; shard < Math.min(3, shards); shard++) {
          ThreeNodes.move(a, shard, "b");
        }
        assertThat(texts(b)).isEqualTo(texts);
      }
    } finally {
      a.close();
    }
  }

  @Test
  void archiveOfASingleMachineIsDividedAsOfATime() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 3, DividedDirectoryTest::register);
    Path place = directory.resolve("archive");
    ArchiveOptions archive = ArchiveOptions.to(new DirectoryArchive(place));
    Path source = directory.resolve("source");
    Instant moment =
        writeAlone(
            source,
            objects -> {
              register(objects);
              objects.options(RuntimeOptions.DEFAULT.withArchive(archive));
            });
    ClusterHoldfast.restore(
        new DirectoryArchive(place), nodes.directoryOf("a"), nodes.alone(), LATEST);
    try (ClusterRuntime a =
        ClusterHoldfast.open(nodes.directoryOf("a"), nodes.alone(), nodes.objects())) {
      assertThat(a.awaitReady(LONG)).isTrue();
      check(a, moment);
    }
    RestoreRequest earlier = RestoreRequest.of(new RestoreTarget.AtTime(moment));
    Map<String, Path> made =
        Map.of("archive", directory.resolve("x"), "directory", directory.resolve("y"));
    ClusterHoldfast.restore(
        new DirectoryArchive(place), made.get("archive"), nodes.alone(), earlier);
    ClusterHoldfast.restore(source, made.get("directory"), nodes.alone(), earlier);
    for (Map.Entry<String, Path> each : made.entrySet()) {
      try (ClusterRuntime a =
          ClusterHoldfast.open(each.getValue(), nodes.alone(), nodes.objects())) {
        assertThat(a.awaitReady(LONG)).isTrue();
        for (int i = 1; i < OBJECTS; i++) {
          assertThat(label(a, "rows", i).read()).as(each.getKey()).isEqualTo("first rows" + i);
          assertThat(label(a, "pairs", i).read()).as(each.getKey()).isEqualTo("first pairs" + i);
        }
      }
    }
  }

  /** Registers objects that are archived often, with images. */
  private Consumer<ObjectRegistrar> archived() {
    ArchiveOptions archive =
        ArchiveOptions.to(new DirectoryArchive(directory.resolve("archive")))
            .withInterval(Duration.ofMillis(20))
            .withBaseBytes(4096);
    return objects -> {
      register(objects);
      objects.options(RuntimeOptions.DEFAULT.withArchive(archive));
    };
  }

  private static void awaitArchived(ThreeNodes nodes) {
    for (String name : nodes.names()) {
      while (nodes.get(name).statistics().archive().lagNanos() > 0) {
        Polling.pause();
      }
    }
  }

  @Test
  void archiveOfAClusterBecomesAClusterOfAnotherNumberOfShards() throws Exception {
    ClusterOptions alone;
    Instant moment;
    try (ThreeNodes nodes = ThreeNodes.open(directory, 3, archived())) {
      alone = nodes.alone();
      moment = write(nodes.names().stream().map(nodes::get).toList(), Duration.ofSeconds(10));
      awaitArchived(nodes);
    }
    DirectoryArchive archive = new DirectoryArchive(directory.resolve("archive"));
    RestoreRequest earlier = RestoreRequest.of(new RestoreTarget.AtTime(moment));
    for (int shards : List.of(2, 7)) {
      ClusterOptions options = alone.withShards(shards);
      Path data = directory.resolve("of " + shards);
      assertThat(ClusterHoldfast.restore(archive, data, options, LATEST)).hasSize(shards);
      assertThat(Verification.run(data, directory, /* isDeep= */ true).findings())
          .noneMatch(each -> each.severity() == Severity.ERROR);
      try (ClusterRuntime a = ClusterHoldfast.open(data, options, DividedDirectoryTest::register)) {
        assertThat(a.awaitReady(LONG)).isTrue();
        check(a, moment);
      }
      Path before = directory.resolve("earlier of " + shards);
      ClusterHoldfast.restore(archive, before, options, earlier);
      try (ClusterRuntime a =
          ClusterHoldfast.open(before, options, DividedDirectoryTest::register)) {
        assertThat(a.awaitReady(LONG)).isTrue();
        Map<String, String> texts = texts(a);
        texts.keySet().removeIf(name -> name.endsWith("s0")); // their alarms have rung
        assertThat(texts.values()).allMatch(text -> text.startsWith("first"));
      }
    }
    clockThatIsBehindIsRefusedBeforeTheWork(archive, moment);
    diskThatFails(disk -> restore(disk, archive, directory.resolve("target")));
  }

  private void clockThatIsBehindIsRefusedBeforeTheWork(DirectoryArchive archive, Instant moment) {
    long[] reports = {0};
    Random random = new Random(7);
    ArchiveRestore.Host host =
        new ArchiveRestore.Host(
            new FileDisk(), moment.minus(Duration.ofMinutes(10)).toEpochMilli(), random::nextLong);
    assertThatThrownBy(
            () ->
                RestoredDirectory.restore(
                    host,
                    archive,
                    directory.resolve("behind"),
                    new RestoredDirectory.Owner("test", new NodeId("a"), 4),
                    LATEST.withProgress((_, _, _, _) -> reports[0]++),
                    random))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("Set the clock");
    assertThat(reports[0]).isZero();
    assertThat(directory.resolve("behind")).doesNotExist();
  }

  @Test
  void diskThatFailsAtAnyStepLeavesNoDirectoryAndItIsDoneAgain() throws Exception {
    Path source = directory.resolve("source");
    writeAlone(source, DividedDirectoryTest::register);
    diskThatFails(disk -> divide(disk, source, directory.resolve("target")));
    assertThat(Verification.run(source, directory, /* isDeep= */ true).findings()).isEmpty();
  }

  private void diskThatFails(Consumer<FaultyDisk> making) throws Exception {
    Path target = directory.resolve("target");
    for (Operation operation :
        List.of(Operation.WRITE, Operation.FORCE, Operation.FORCE_DIRECTORY)) {
      boolean hasFailed = true;
      for (int nth = 1; hasFailed; nth += 1 + nth / 3) {
        FaultyDisk disk = new FaultyDisk(new FileDisk());
        disk.affectOnly(path -> path.toString().contains("target"));
        disk.fail(operation, nth);
        try {
          making.accept(disk);
          hasFailed = false;
        } catch (DataDirectoryException e) {
          assertThat(target).as(operation + " " + nth).doesNotExist();
        }
      }
      assertThat(Verification.run(target, directory, /* isDeep= */ false).findings())
          .noneMatch(each -> each.severity() == Severity.ERROR);
      FileTree.delete(new FileDisk(), target);
    }
  }

  private static void restore(FaultyDisk disk, DirectoryArchive archive, Path target) {
    Random random = new Random(7);
    RestoredDirectory.restore(
        new ArchiveRestore.Host(disk, Long.MAX_VALUE, random::nextLong),
        archive,
        target,
        new RestoredDirectory.Owner("test", new NodeId("a"), 4),
        LATEST,
        random);
  }

  private static void divide(FaultyDisk disk, Path source, Path target) {
    Random random = new Random(7);
    RestoredDirectory.divide(
        new ArchiveRestore.Host(disk, /* nowMillis= */ 0, random::nextLong),
        new RestoredDirectory.Single() {
          @Override
          public Path directory() {
            return source;
          }

          @Override
          public Path whole(Path work, RestoreRequest request) {
            return source;
          }
        },
        target,
        new RestoredDirectory.Owner("test", new NodeId("a"), 4),
        LATEST,
        random);
  }
}
