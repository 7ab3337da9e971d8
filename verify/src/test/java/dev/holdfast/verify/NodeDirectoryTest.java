package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What reads a data directory does not take that of a node for one without objects. */
final class NodeDirectoryTest {

  @TempDir private Path parent;
  private Path data;

  @BeforeEach
  void node() throws Exception {
    data = parent.resolve("a");
    Files.createDirectories(data.resolve("shards/0000/journal"));
    Files.writeString(data.resolve("node"), "cluster=shop\nnode=a\nshards=1\n");
    Files.writeString(data.resolve("LOCK"), "");
  }

  private List<Path> files() throws Exception {
    try (Stream<Path> all = Files.walk(data)) {
      return all.sorted().toList();
    }
  }

  private void assertRefused(ThrowingCallable use, String remedy) throws Exception {
    List<Path> before = files();
    assertThatThrownBy(use)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("belongs to a node of a cluster")
        .hasMessageContaining(remedy);
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void nodeThatLacksACopyIsNotSound() throws Exception {
    assertThat(Verification.run(data, parent, true).isSound()).isTrue(); // it was never opened
    Files.writeString(
        data.resolve("node"),
        "cluster=shop\njoined=true\nnode=a\nshard.0=1 a=h:1,b=h:3\nshard.1=1 b=h:3\nshards=2\n");
    List<Path> before = files();
    assertThat(Verification.run(data, parent, true).findings())
        .allSatisfy(each -> assertThat(each.kind()).isEqualTo(FindingKind.MARK_DAMAGED))
        .extracting(Finding::meaning)
        .as("shard 1 is kept by others")
        .containsExactly("Shard 0: The file is missing, and the node keeps the shard.");
    Files.writeString(data.resolve("shards/0000/saved"), "damaged");
    Files.writeString(data.resolve("shards/0000/journal/0000000000000001.log"), "damaged");
    assertThat(Verification.run(data, parent, false).findings().getFirst().meaning())
        .startsWith("Shard 0: The file is damaged");
    Files.delete(data.resolve("shards/0000/saved"));
    assertThat(Verification.run(data, parent, false).findings().getFirst().meaning())
        .startsWith("Shard 0: The file is missing; it states what");
    Files.delete(data.resolve("shards/0000/journal/0000000000000001.log"));
    assertThat(files()).isEqualTo(before);
  }

  @Test
  void fileThatDoesNotSayWhatTheNodeHasIsRefused() throws Exception {
    Files.writeString(data.resolve("node"), "cluster=shop\n");
    assertThatThrownBy(() -> Verification.run(data, parent, true))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("does not say how many shards");
  }

  @Test
  void directoryOfANodeIsNotOpenedRestoredOrRepairedAsOneWithoutObjects() throws Exception {
    Path target = parent.resolve("other");
    assertRefused(() -> StoppedDirectory.change(data), "ClusterHoldfast.open");
    assertRefused(() -> StoppedDirectory.read(data), "StoppedNode.read");
    assertRefused(() -> Holdfast.backup(data, target), "ClusterHoldfast.backup");
    assertRefused(
        () -> Holdfast.restore(data, target, RestoreRequest.of(new RestoreTarget.Latest())),
        "./holdfast inspect export");
    assertRefused(() -> Repair.into(data, target, parent), "replace it");
    assertRefused(() -> Repair.inPlace(data, parent), "replace it");
    assertThat(target).doesNotExist();
  }

  /** A kill has ended a change whose rest the node does, or the command that is repeated. */
  @Test
  void changesThatAKillHasEndedAreRefused() throws Exception {
    for (String state : List.of("adopting=true", "recovering=a", "")) {
      Files.writeString(data.resolve("node"), "cluster=shop\nnode=a\nshards=1\n" + state);
      if (state.isEmpty()) {
        Files.createDirectories(data.resolve("shards/0000/fetched"));
        Files.writeString(data.resolve("shards/0000/fetched/placing"), "");
      }
      List<Path> before = files();
      assertThatThrownBy(() -> Verification.run(data, parent, false))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageMatching("(?s).*(interrupted|A kill has ended this node).*");
      assertThat(files()).isEqualTo(before);
    }
  }
}
