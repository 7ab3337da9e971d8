package dev.holdfast.ledger.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three processes with TLS: an owner is killed, a node is paused, all are restarted. */
final class NodesDemoTest {

  private static final int TRANSFERS = 400;
  private static final int ACCOUNTS = 20;

  @TempDir private Path directory;

  @Test
  void nothingIsLostWhenNodesAreKilledPausedAndRestarted() throws Exception {
    List<String> lines = new ArrayList<>(List.of("id,from,to,amount"));
    for (int i = 0; i < TRANSFERS; i++) {
      lines.add("t" + i + ",a" + i % ACCOUNTS + ",b" + i * 7 % ACCOUNTS + ",1.50");
    }
    Path file = Files.write(directory.resolve("transfers.csv"), lines);
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    boolean kept;
    try (PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8)) {
      kept =
          new NodesDemo(
                  DemoDirectory.prepare(directory.resolve("demo")), TransferFile.read(file), out)
              .run(3);
    }
    assertThat(kept).as(text.toString(StandardCharsets.UTF_8)).isTrue();
    assertThat(text.toString(StandardCharsets.UTF_8))
        .contains("SIGKILL for node", "is paused", "rolling restart")
        .contains("%,d transfers answered, 0 between two accounts".formatted(TRANSFERS));
  }
}
