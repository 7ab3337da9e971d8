package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kill has ended a change whose rest the node does, or the command that is repeated. */
final class InterruptedNodeTest {

  @TempDir private Path directory;

  @Test
  void nodeInTheMiddleOfAChangeIsNeitherReadNorBackedUp() throws Exception {
    Path node = Files.createDirectory(directory.resolve("node"));
    Path target = directory.resolve("copy");
    for (String state : List.of("adopting=true", "recovering=a", "")) {
      Files.writeString(node.resolve("node"), "cluster=shop\nnode=a\nshards=1\n" + state);
      if (state.isEmpty()) {
        Files.createDirectories(node.resolve("shards/0000/fetched"));
        Files.writeString(node.resolve("shards/0000/fetched/placing"), "");
      }
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(
              () -> StoppedNode.read(node), () -> ClusterHoldfast.backup(node, target))) {
        assertThatThrownBy(use)
            .isInstanceOf(DataDirectoryException.class)
            .hasMessageMatching("(?s).*(interrupted|A kill has ended this node).*");
      }
      assertThat(target).doesNotExist();
    }
  }
}
