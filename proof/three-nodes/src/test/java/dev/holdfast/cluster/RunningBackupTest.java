package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.AdoptedNodeTest.Page;
import dev.holdfast.errors.BackupException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.recovery.Backup;
import dev.holdfast.verify.Verification;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backup of three nodes that run has what all have acknowledged, and becomes a cluster of one.
 */
class RunningBackupTest {

  private static final List<String> NAMESPACES = List.of("sql", "keys");
  private static final int PAGES = 6;

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  @TempDir private Path backups;

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, AdoptedNodeTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static Page page(ClusterRuntime runtime, String namespace, int number) {
    return runtime.namespace(namespace, Page.class).getByName("p" + number);
  }

  private static void write(String node, String text) {
    for (String namespace : NAMESPACES) {
      for (int i = 0; i < PAGES; i++) {
        page(nodes.get(node), namespace, i).write(text, new byte[] {1});
      }
    }
  }

  @Test
  void backupOfEachNodeHasAllThatWasAcknowledged() throws Exception {
    for (String node : List.of("a", "b", "c")) {
      write("a", "before " + node);
      page(nodes.get("b"), "sql", 1).remind(Duration.ofDays(1));

      Backup backup = nodes.get(node).backup(backups.resolve(node));

      write("a", "after");
      assertThat(backup.files()).isPositive();
      assertThat(backup.bytesCopied()).isPositive();
      assertThat(backups.resolve(node + ".backup")).doesNotExist();
      assertSound(backups.resolve(node));
      assertThatThrownBy(
              () ->
                  ClusterHoldfast.open(backups.resolve(node), nodes.options(node), nodes.objects()))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("is a backup")
          .hasMessageContaining("cluster recover");
    }
    assertThat(recovered(backups.resolve("b"))).isEqualTo("before b");
  }

  private void assertSound(Path backup) throws Exception {
    assertThat(Verification.run(backup, backups, /* isDeep= */ true).isSound()).isTrue();
    try (StoppedNode stopped = StoppedNode.read(backup)) {
      List<Map<String, ?>> objects = new ArrayList<>();
      stopped
          .operations()
          .perform(OperatorRequest.of("objects").with("namespace", "keys"), objects::add);
      assertThat(objects).hasSize(PAGES);
    }
  }

  /** {@return the text that all pages have in a cluster of one that is made of a backup} */
  private static String recovered(Path backup) throws Exception {
    ClusterHoldfast.recover(backup, /* isDamageAccepted= */ false);
    // At another address: the nodes that run would meet it, and stop.
    String address = "b=127.0.0.1:" + FreePorts.pairs(1).getFirst();
    try (ClusterRuntime alone =
        ClusterHoldfast.open(backup, nodes.options("b").members(address), nodes.objects())) {
      assertThat(alone.awaitReady(Duration.ofMinutes(2))).isTrue();
      String text = page(alone, "sql", 0).read();
      for (String namespace : NAMESPACES) {
        for (int i = 0; i < PAGES; i++) {
          assertThat(page(alone, namespace, i).read()).isEqualTo(text);
        }
      }
      assertThat(alone.namespace("sql", Page.class).alarms().pending(Optional.empty(), 5).items())
          .hasSize(1);
      page(alone, "keys", 0).write("new", new byte[] {1});
      assertThat(page(alone, "keys", 0).read()).isEqualTo("new");
      return text;
    }
  }

  @Test
  void objectsAreWrittenAndShardsMovedMeanwhile() throws Exception {
    write("a", "before");
    AtomicBoolean ends = new AtomicBoolean();
    CompletableFuture<Void> moving =
        CompletableFuture.runAsync(
            () -> {
              for (int each = 0; !ends.get(); each++) {
                write("b", "round " + each);
                String to = List.of("a", "b", "c").get(each % 3);
                try {
                  nodes.move(each % 3, to);
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              }
            });
    try {
      for (int each = 0; each < 5; each++) {
        Path target = backups.resolve("moving-" + each);
        nodes.get("a").backup(target);
        assertSound(target);
      }
    } finally {
      ends.set(true);
    }
    moving.get();
  }

  @Test
  void targetThatCannotBeUsedIsRefusedAndKept() throws Exception {
    Path full = Files.createDirectories(backups.resolve("full"));
    Path there = Files.writeString(full.resolve("file"), "of somebody");
    Path inside = nodes.directoryOf("a").resolve("backup");

    assertThatThrownBy(() -> nodes.get("a").backup(full))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("not empty");
    assertThatThrownBy(() -> nodes.get("a").backup(inside))
        .isInstanceOf(BackupException.class)
        .hasMessageContaining("outside");

    assertThat(there).hasContent("of somebody");
    assertThat(inside).doesNotExist();
  }
}
