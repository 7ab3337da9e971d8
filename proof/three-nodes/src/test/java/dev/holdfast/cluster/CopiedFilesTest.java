package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.cluster.AdoptedNodeTest.Page;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that are added to a cluster whose journal has dropped its beginning. */
@EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
class CopiedFilesTest {

  private static final Duration LONG = Duration.ofMinutes(2);
  private static final List<String> NAMESPACES = List.of("sql", "keys");
  private static final int PAGES = 3;

  @TempDir private Path directory;

  private final Random random = new Random(1);

  private byte[] filling() {
    byte[] bytes = new byte[100_000];
    random.nextBytes(bytes);
    return bytes;
  }

  private ObjectRuntime open(Path data) {
    return Holdfast.open(
        data,
        objects -> {
          objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(1 << 20));
          AdoptedNodeTest.register(objects);
        });
  }

  private static Page page(ObjectRuntime runtime, String namespace, int number) {
    return runtime.namespace(namespace, Page.class).getByName("p" + number);
  }

  private static ObjectId id(ObjectRuntime runtime, String namespace, int number) {
    return runtime.namespace(namespace, Page.class).idFromName("p" + number);
  }

  /** {@return a bookmark of each page with the new text} */
  private Map<String, String> write(ObjectRuntime runtime, String text) {
    Map<String, String> bookmarks = new TreeMap<>();
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < PAGES; i++) {
        page(runtime, namespace, i).write(text, filling());
        bookmarks.put(
            namespace + i,
            runtime
                .recovery(namespace, id(runtime, namespace, i))
                .history(1)
                .entries()
                .getFirst()
                .bookmark());
      }
    }
    return bookmarks;
  }

  private static void assertTexts(ObjectRuntime runtime, String text) {
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < PAGES; i++) {
        assertThat(page(runtime, namespace, i).read()).as(namespace + i).isEqualTo(text);
      }
    }
  }

  private static void restoreAll(ObjectRuntime runtime, Map<String, String> bookmarks) {
    bookmarks.forEach(
        (key, bookmark) -> {
          String namespace = key.substring(0, key.length() - 1);
          int number = key.charAt(key.length() - 1) - '0';
          runtime.admin().restoreNow(namespace, id(runtime, namespace, number), bookmark);
        });
  }

  /** Makes a directory whose journal begins later: bookmarks of before, and of after that. */
  private List<Map<String, String>> writeAlone(Path data) {
    Path first = data.resolve("journal/0000000000000001.log");
    Map<String, String> dropped;
    try (ObjectRuntime runtime = open(data)) {
      dropped = write(runtime, "dropped");
      runtime.namespace("sql", Page.class).getByName("alarm").remind(Duration.ofDays(1));
      runtime.namespace("keys", Page.class).getByName("alarm").remind(Duration.ofDays(1));
      for (int i = 0; i < 5; i++) {
        write(runtime, "filling " + i);
      }
    }
    Map<String, String> kept;
    try (ObjectRuntime runtime = open(data)) {
      while (Files.exists(first)) {
        write(runtime, "more");
      }
      kept = write(runtime, "kept");
      write(runtime, "last");
    }
    return List.of(dropped, kept);
  }

  @Test
  void addedNodesGetFilesAndTheFirstNodeIsLost() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = nodes.directoryOf("a");
    List<Map<String, String>> bookmarks = writeAlone(data);
    ClusterHoldfast.adopt(data, nodes.alone());
    ClusterRuntime a = ClusterHoldfast.open(data, nodes.alone(), nodes.objects());
    try (ClusterRuntime b =
            ClusterHoldfast.open(
                nodes.directoryOf("b"), AdoptedNodeTest.waiting(nodes, "b"), nodes.objects());
        ClusterRuntime c =
            ClusterHoldfast.open(
                nodes.directoryOf("c"), AdoptedNodeTest.waiting(nodes, "c"), nodes.objects())) {
      assertThat(a.awaitReady(LONG)).isTrue();
      assertTexts(a, "last");
      ThreeNodes.untilChanged(() -> a.add("b=" + nodes.addressOf("b")));
      write(a, "in the cluster");
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
        assertTexts(each, "in the cluster");
        Path shard = directory.resolve(name).resolve("shards/0000");
        assertThat(shard.resolve("journal/0000000000000001.log")).doesNotExist();
        assertThat(shard.resolve("fetched")).doesNotExist();
        for (String namespace : NAMESPACES) {
          assertThat(
                  each.namespace(namespace, Page.class)
                      .alarms()
                      .pending(Optional.empty(), 5)
                      .items())
              .hasSize(1);
        }
        restoreAll(each, bookmarks.getLast());
        assertTexts(each, "kept");
        bookmarks
            .getFirst()
            .forEach(
                (key, bookmark) ->
                    assertThatThrownBy(() -> restoreAll(each, Map.of(key, bookmark)))
                        .isInstanceOfSatisfying(
                            BookmarkException.class,
                            e ->
                                assertThat(e.reason())
                                    .isEqualTo(BookmarkException.Reason.NOT_KEPT)));
        write(each, "in the cluster");
        assertThat(each.shards().getFirst().restorableSince()).isNotNull();
        for (ClusterRuntime asked : List.of(b, c)) {
          Path backup = directory.resolve("backup-" + name + (asked == b ? "b" : "c"));
          asked.backup(backup);
          assertBackup(nodes, backup, bookmarks.getLast());
        }
      }
    } finally {
      a.close();
    }
  }

  /** The files come from the owner, because the journal has dropped its beginning. */
  private static void assertBackup(ThreeNodes nodes, Path backup, Map<String, String> bookmarks)
      throws Exception {
    ClusterHoldfast.recover(backup, /* isDamageAccepted= */ false);
    String node = Files.readString(backup.resolve("node")).contains("node=b") ? "b" : "c";
    String address = node + "=127.0.0.1:" + FreePorts.pairs(1).getFirst();
    try (ClusterRuntime alone =
        ClusterHoldfast.open(backup, nodes.options(node).members(address), nodes.objects())) {
      assertThat(alone.awaitReady(LONG)).isTrue();
      assertTexts(alone, "in the cluster");
      assertThat(alone.namespace("keys", Page.class).alarms().pending(Optional.empty(), 5).items())
          .hasSize(1);
      restoreAll(alone, bookmarks);
      assertTexts(alone, "kept");
    }
  }

  /** Other nodes would get what is damaged. */
  @Test
  void directoryWithAMissingFileIsRefused() throws Exception {
    ThreeNodes nodes = ThreeNodes.prepare(directory, 1, AdoptedNodeTest::register);
    Path data = nodes.directoryOf("a");
    writeAlone(data);
    try (Stream<Path> all = Files.walk(data.resolve("sqlite/sql"))) {
      Files.delete(all.filter(Files::isRegularFile).findFirst().orElseThrow());
    }
    assertThatThrownBy(() -> ClusterHoldfast.adopt(data, nodes.alone()))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("the journal has dropped")
        .hasMessageContaining("./holdfast verify --data");
    assertThat(data.resolve("node")).doesNotExist();
  }
}
