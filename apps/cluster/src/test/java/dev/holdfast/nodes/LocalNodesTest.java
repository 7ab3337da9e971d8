package dev.holdfast.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.launcher.process.ParentPipe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes whose processes do not do what they should. */
final class LocalNodesTest {

  /** Never ends by itself, whatever it is asked. */
  static final class Hanging {

    private Hanging() {}

    public static void main(String[] arguments) throws InterruptedException {
      new ParentPipe().listen(_ -> {}); // ends this process with its parent
      new CountDownLatch(1).await();
    }
  }

  @Test
  void nodeThatDoesNotEndIsKilled(@TempDir Path directory) throws Exception {
    try (LocalNodes nodes = LocalNodes.prepare(directory, 1, 1, Hanging.class, List.of())) {
      nodes.start("a");
      ChildJvm process = nodes.process("a");

      assertThatThrownBy(() -> nodes.end("a", (_, _) -> {}, Duration.ofMillis(50)))
          .isInstanceOf(RunFailedException.class)
          .hasMessageContaining("Node a has not ended");

      assertThat(process.wasKilled()).isTrue();
      assertThat(nodes.running()).isEmpty();
    }
  }
}
