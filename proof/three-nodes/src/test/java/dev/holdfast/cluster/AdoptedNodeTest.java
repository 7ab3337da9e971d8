package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.cluster.member.AdoptedDirectory;
import dev.holdfast.cluster.member.NodeFile;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.faults.Polling;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.log.NodeId;
import java.io.IOException;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The data directory of a single machine becomes the first node of a cluster. */
class AdoptedNodeTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  /** A text with a past, an alarm and events. */
  public interface Page {

    /** Replaces the text, and fills some room. */
    void write(String text, byte[] filling);

    /** Returns the text. */
    String read();

    /** Sets an alarm. */
    void remind(Duration later);
  }

  static final class PageObject implements Page, AlarmHandler {

    private final ObjectContext context;

    PageObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void write(String text, byte[] filling) {
      context.storage().put("text", text);
      context.storage().put("filling", filling);
      context.emit("pages", text);
    }

    @Override
    public String read() {
      return context.storage().get("text", String.class).orElse("");
    }

    @Override
    public void remind(Duration later) {
      context.storage().setAlarm(context.clock().instant().plus(later));
    }

    @Override
    public void alarm(AlarmInfo info) {
      context.storage().put("text", "reminded");
    }
  }

  @TempDir private Path directory;

  private final Random random = new Random(1);

  static void register(ObjectRegistrar objects) {
    objects.namespace("sql", Page.class, PageObject::new);
    objects.namespace(
        "keys",
        Page.class,
        PageObject::new,
        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
  }

  private byte[] filling() {
    byte[] bytes = new byte[100_000];
    random.nextBytes(bytes);
    return bytes;
  }

  /** {@return a bookmark of each page, of its first text} */
  private Map<String, String> writeAlone(Path data, BlockingQueue<String> events) throws Exception {
    Map<String, String> bookmarks = new TreeMap<>();
    try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
      AutoCloseable consumer =
          runtime.consume(
              "pages",
              "index",
              String.class,
              batch -> batch.forEach(event -> events.add(event.value())));
      for (String namespace : List.of("sql", "keys")) {
        for (int i = 0; i < 4; i++) {
          Page page = runtime.namespace(namespace, Page.class).getByName("p" + i);
          page.write("first", filling());
          ObjectId id = runtime.namespace(namespace, Page.class).idFromName("p" + i);
          bookmarks.put(
              namespace + i,
              runtime.recovery(namespace, id).history(1).entries().getFirst().bookmark());
          for (int more = 0; more < 10; more++) {
            page.write("second", filling());
          }
        }
      }
      runtime.namespace("sql", Page.class).getByName("alarm").remind(Duration.ofDays(1));
      runtime.namespace("keys", Page.class).getByName("soon").remind(Duration.ofMillis(1));
      for (int i = 0; i < 8 * 11; i++) {
        events.take();
      }
      consumer.close();
    }
    return bookmarks;
  }

  private void check(ClusterRuntime runtime, Map<String, String> bookmarks) {
    bookmarks.forEach(
        (key, bookmark) -> {
          String namespace = key.substring(0, key.length() - 1);
          String name = "p" + key.charAt(key.length() - 1);
          Page page = runtime.namespace(namespace, Page.class).getByName(name);
          ObjectId id = runtime.namespace(namespace, Page.class).idFromName(name);
          assertThat(page.read()).as(key).isEqualTo("second");
          String undo = runtime.admin().restoreNow(namespace, id, bookmark);
          assertThat(page.read()).as(key).isEqualTo("first");
          runtime.admin().restoreNow(namespace, id, undo);
          assertThat(page.read()).as(key).isEqualTo("second");
        });
    assertThat(runtime.namespace("sql", Page.class).alarms().pending(Optional.empty(), 5).items())
        .hasSize(1);
    Page soon = runtime.namespace("keys", Page.class).getByName("soon");
    while (!soon.read().equals("reminded")) {
      Polling.pause();
    }
  }

  static ClusterOptions waiting(ThreeNodes nodes, String name) {
    return nodes
        .options(name)
        .members("a=" + nodes.addressOf("a"))
        .node(name, nodes.addressOf(name));
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void dataDirectoryBecomesANodeAndGrowsAndItsMachineIsLost() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = nodes.directoryOf("a");
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    Map<String, String> bookmarks = writeAlone(data, events);
    ClusterOptions alone = nodes.alone();

    long last = ClusterHoldfast.adopt(data, alone);

    assertThat(last).isGreaterThan(88);
    assertThat(ClusterHoldfast.adopt(data, alone)).isEqualTo(last); // nothing is left to do
    assertThat(data.resolve("journal")).doesNotExist();
    assertThatThrownBy(() -> Holdfast.open(data, AdoptedNodeTest::register))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("Open it with ClusterHoldfast.open");
    assertThatThrownBy(() -> ClusterHoldfast.adopt(data, nodes.options("a")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("name this node alone in members");
    assertThatThrownBy(
            () ->
                ClusterHoldfast.adopt(
                    data,
                    ClusterOptions.of("other").node("x").members("x=127.0.0.1:1").withShards(1)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("belongs to node a of cluster test already");

    ClusterRuntime a = ClusterHoldfast.open(data, alone, nodes.objects());
    try {
      assertThat(a.awaitReady(LONG)).isTrue();
      check(a, bookmarks);
      AutoCloseable consumer =
          a.consume(
              "pages",
              "index",
              String.class,
              batch -> batch.forEach(event -> events.add(event.value())));
      a.namespace("sql", Page.class).getByName("new").write("third", filling());
      assertThat(events.take()).isEqualTo("third"); // those of before are not delivered again
      consumer.close();

      try (ClusterRuntime b =
              ClusterHoldfast.open(nodes.directoryOf("b"), waiting(nodes, "b"), nodes.objects());
          ClusterRuntime c =
              ClusterHoldfast.open(nodes.directoryOf("c"), waiting(nodes, "c"), nodes.objects())) {
        ThreeNodes.untilChanged(() -> a.add("b=" + nodes.addressOf("b")));
        ThreeNodes.untilChanged(() -> a.add("c=" + nodes.addressOf("c")));
        assertThat(b.awaitReady(LONG)).isTrue();
        assertThat(c.awaitReady(LONG)).isTrue();
        a.close();
        assertThat(b.awaitReady(LONG)).isTrue();
        for (ClusterRuntime each : List.of(b, c)) {
          String name = each == b ? "b" : "c";
          ThreeNodes.known(
              () -> {
                ThreeNodes.move(each, 0, name);
                return 0;
              });
          assertThat(each.shards().getFirst().owner()).isEqualTo(name);
          check(each, bookmarks);
          assertThat(each.namespace("sql", Page.class).getByName("new").read()).isEqualTo("third");
        }
        assertSameSegments("b", "c");
      }
    } finally {
      a.close();
    }
  }

  /** All but the newest, to which b or c may have written less. */
  private void assertSameSegments(String one, String other) throws IOException {
    Path first = directory.resolve(one).resolve("shards/0000/journal");
    Path second = directory.resolve(other).resolve("shards/0000/journal");
    List<Path> files;
    try (var all = Files.list(first)) {
      files =
          all.filter(each -> each.toString().endsWith(".log"))
              .sorted()
              .map(Path::getFileName)
              .toList();
    }
    assertThat(files).hasSizeGreaterThan(1);
    for (Path each : files.subList(0, files.size() - 1)) {
      assertThat(second.resolve(each)).hasSameBinaryContentAs(first.resolve(each));
    }
  }

  /** A journal that was closed ends with a group that has no records. */
  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void nodeThatWasNotWrittenToIsJoined() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = nodes.directoryOf("a");
    Map<String, String> bookmarks = writeAlone(data, new LinkedBlockingQueue<>());
    ClusterHoldfast.adopt(data, nodes.alone());
    try (ClusterRuntime a = ClusterHoldfast.open(data, nodes.alone(), nodes.objects());
        ClusterRuntime b =
            ClusterHoldfast.open(nodes.directoryOf("b"), waiting(nodes, "b"), nodes.objects())) {
      assertThat(a.awaitReady(LONG)).isTrue();
      ThreeNodes.untilChanged(() -> a.add("b=" + nodes.addressOf("b")));
      assertThat(b.awaitReady(LONG)).isTrue();
      ThreeNodes.known(
          () -> {
            ThreeNodes.move(b, 0, "b");
            return 0;
          });
      check(b, bookmarks);
    }
  }

  @Test
  void processThatIsKilledLeavesTheOneOrTheOther() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    ClusterOptions alone = nodes.alone();
    int asNode = 0;
    int asBefore = 0;
    for (int write = 1; ; write++) {
      Path data = directory.resolve("killed-" + write);
      try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
        runtime.namespace("sql", Page.class).getByName("p").write("text", filling());
        runtime.namespace("keys", Page.class).getByName("p").write("text", filling());
        assertThatThrownBy(() -> ClusterHoldfast.adopt(data, alone))
            .isInstanceOf(DirectoryInUseException.class);
      }
      boolean isDone = false;
      try {
        AdoptedDirectory.adopt(failingAt(write), data, "test", new NodeId("a"), random);
        isDone = true;
      } catch (DataDirectoryException e) {
        assertThat(e).hasStackTraceContaining("the test fails this write");
      }
      if (Files.exists(data.resolve("node"))) {
        asNode++;
        if (write % 4 != 0) { // otherwise the opening does the rest
          ClusterHoldfast.adopt(data, alone);
          assertThat(data.resolve("journal")).doesNotExist();
        }
        if (write % 4 == 0 || isDone) { // to open a node takes a second or more
          try (ClusterRuntime node = ClusterHoldfast.open(data, alone, nodes.objects())) {
            assertThat(node.awaitReady(LONG)).isTrue();
            assertTexts(node);
          }
        }
      } else {
        asBefore++;
        try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
          assertTexts(runtime);
        }
      }
      if (isDone) {
        break;
      }
    }
    assertThat(asNode).isGreaterThan(4);
    assertThat(asBefore).isGreaterThan(2);
  }

  private static void assertTexts(ObjectRuntime runtime) {
    for (String namespace : List.of("sql", "keys")) {
      assertThat(runtime.namespace(namespace, Page.class).getByName("p").read()).isEqualTo("text");
    }
  }

  @Test
  void whatIsNoDataDirectoryIsRefused() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path nothing = directory.resolve("nothing");
    assertThatThrownBy(() -> ClusterHoldfast.adopt(nothing, nodes.alone()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("has no journal");
    assertThat(nothing).doesNotExist();
  }

  /** As after a repair that had to make a new journal: the files have more than it. */
  @Test
  void objectsThatTheJournalDoesNotMakeAreRefused() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path whole = directory.resolve("whole");
    Path salvaged = directory.resolve("salvaged");
    String id;
    try (ObjectRuntime runtime = Holdfast.open(whole, AdoptedNodeTest::register)) {
      runtime.namespace("sql", Page.class).getByName("p").write("text", filling());
      id = runtime.namespace("sql", Page.class).idFromName("p").toString();
    }
    try (ObjectRuntime runtime = Holdfast.open(salvaged, AdoptedNodeTest::register)) {
      runtime.namespace("sql", Page.class).getByName("q").write("text", filling());
    }
    Path file = Path.of("sqlite", "sql", id.substring(0, 3), id + ".sqlite");
    Files.createDirectories(salvaged.resolve(file).resolveSibling("."));
    Files.copy(whole.resolve(file), salvaged.resolve(file));

    assertThatThrownBy(() -> ClusterHoldfast.adopt(salvaged, nodes.alone()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("sql/" + id)
        .hasMessageContaining("./holdfast restore --from " + salvaged);
    assertThat(salvaged.resolve("node")).doesNotExist();
    assertThat(salvaged.resolve("shards")).doesNotExist();
  }

  @Test
  void objectsWhosePastWasPurgedAreRefused() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    for (String namespace : List.of("sql", "keys")) {
      Path data = directory.resolve("purged-" + namespace);
      String id;
      try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
        ObjectId purged = runtime.namespace(namespace, Page.class).idFromName("p");
        id = purged.toString();
        runtime.namespace(namespace, Page.class).getByName("p").write("text", filling());
        runtime.namespace(namespace, Page.class).getByName("q").write("text", filling());
        runtime.admin().purgeHistory(namespace, purged).join();
      }
      assertRefused(data, nodes, namespace + "/" + id);
      try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
        runtime.namespace(namespace, Page.class).getByName("p").remind(Duration.ofDays(1));
      }
      assertRefused(data, nodes, namespace + "/" + id);
      Path restored = directory.resolve("restored-" + namespace); // as the message says
      Holdfast.restore(
          data, restored, RestoreRequest.of(new RestoreTarget.Latest()).withNamespace(namespace));
      assertThat(ClusterHoldfast.adopt(restored, nodes.alone())).isPositive();
    }
  }

  private static void assertRefused(Path data, ThreeNodes nodes, String object) {
    assertThatThrownBy(() -> ClusterHoldfast.adopt(data, nodes.alone()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(object)
        .hasMessageContaining("./holdfast restore --from " + data);
    assertThat(data.resolve("node")).doesNotExist();
  }

  /** The file of a deleted object in SQLite is not an empty one, and is written to again. */
  @Test
  void pairsThatWereDeletedAndPurgedDoNotMatter() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    for (String namespace : List.of("sql", "keys")) {
      Path data = directory.resolve(namespace);
      ObjectId gone;
      try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
        gone = runtime.namespace(namespace, Page.class).idFromName("gone");
        for (String name : List.of("gone", "new")) {
          ObjectId id = runtime.namespace(namespace, Page.class).idFromName(name);
          runtime.namespace(namespace, Page.class).getByName(name).write("text", filling());
          runtime.admin().delete(namespace, id);
          runtime.admin().purgeHistory(namespace, id).join();
        }
        runtime.namespace(namespace, Page.class).getByName("new").write("text", filling());
      }
      if (namespace.equals("sql")) {
        assertRefused(data, nodes, namespace + "/" + gone);
      } else {
        assertThat(ClusterHoldfast.adopt(data, nodes.alone())).isPositive();
      }
    }
  }

  @Test
  void directoryThatWasNotAdoptedIsNoNode() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = directory.resolve("alone");
    try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
      runtime.namespace("sql", Page.class).getByName("p").write("text", filling());
      runtime.namespace("keys", Page.class).getByName("p").write("text", filling());
    }
    assertThatThrownBy(() -> ClusterHoldfast.open(data, nodes.alone(), nodes.objects()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("./holdfast cluster adopt");
    assertThat(data.resolve("node")).doesNotExist();
    try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
      assertTexts(runtime);
    }
  }

  private void write(Path data) {
    try (ObjectRuntime runtime = Holdfast.open(data, AdoptedNodeTest::register)) {
      runtime.namespace("sql", Page.class).getByName("p").write("text", filling());
      runtime.namespace("keys", Page.class).getByName("p").write("text", filling());
    }
  }

  @Test
  void directoryWhosePartsAreElsewhereIsRefused() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = directory.resolve("linked");
    write(data);
    Path elsewhere = directory.resolve("elsewhere");
    Files.move(data.resolve("sqlite"), elsewhere);
    Files.createSymbolicLink(data.resolve("sqlite"), elsewhere);
    assertThatThrownBy(() -> ClusterHoldfast.adopt(data, nodes.alone()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("symbolic link")
        .hasMessageContaining("nothing was changed");
    assertThat(data.resolve("node")).doesNotExist();
    write(data);
  }

  @Test
  void nothingIsChangedIfNothingCanBeMoved() {
    Path data = directory.resolve("fixed");
    write(data);
    Disk fixed =
        failing((method, from) -> method.equals("move") && from.equals(data.resolve("journal")));
    assertThatThrownBy(() -> AdoptedDirectory.adopt(fixed, data, "test", new NodeId("a"), random))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("nothing was changed");
    assertThat(data.resolve("node")).doesNotExist();
    write(data);
  }

  @Test
  void markStaysSoThatEarlierVersionsRefuse() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = directory.resolve("marked");
    write(data);
    ClusterHoldfast.adopt(data, nodes.alone());
    Files.delete(data.resolve("node")); // they do not look at it
    assertThatThrownBy(() -> Holdfast.open(data, AdoptedNodeTest::register))
        .isInstanceOf(JournalCorruptException.class);
  }

  @Test
  void purgeUnderWayIsRefused() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = directory.resolve("purging");
    write(data);
    ObjectKey key = new ObjectKey("sql", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));
    try (SystemTimeSource time = new SystemTimeSource();
        DirectoryLock lock = DirectoryLock.acquire(data, new FileDisk());
        FileJournal journal = FileJournal.open(lock, time, JournalOptions.DEFAULT)) {
      // Version, type and position of a purge that is not done; see docs/formats/recovery.md.
      ByteBuffer begun = ByteBuffer.allocate(11).put((byte) 1).put((byte) 5).putLong(1).rewind();
      journal.awaitDurable(journal.append(RecordKind.CHECKPOINT, 16, key, begun));
    }
    assertThatThrownBy(() -> ClusterHoldfast.adopt(data, nodes.alone()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("is being purged")
        .hasMessageContaining("Holdfast.open");
    assertThat(data.resolve("node")).doesNotExist();
  }

  /** Neither it nor a first cluster of the same name may send the other one's members away. */
  @Test
  void lineageIsNoLaterThanThatOfAFirstCluster() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = directory.resolve("lineage");
    write(data);
    ClusterHoldfast.adopt(data, nodes.alone());
    long lineage = NodeFile.existing(new FileDisk(), data).lineage();
    assertThat(lineage).isNotZero();
    assertThat(lineage >>> 40).isZero();
  }

  /** A disk that fails at one write, as a process that is killed there. */
  private static Disk failingAt(int write) {
    Set<String> writes = Set.of("replace", "forceDirectory", "delete", "move");
    AtomicInteger count = new AtomicInteger();
    return failing((method, _) -> writes.contains(method) && count.incrementAndGet() == write);
  }

  /**
   * A disk whose calls may fail.
   *
   * @param fails whether a call does, by its name and its path
   */
  private static Disk failing(BiPredicate<String, Object> fails) {
    Disk disk = new FileDisk();
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              if (fails.test(method.getName(), arguments[0])) {
                throw new IOException("the test fails this write");
              }
              try {
                return method.invoke(disk, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
