package dev.holdfast.ledger.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration with three processes and TLS. */
final class NodesDemoTest {

  private static final int TRANSFERS = 400;
  private static final int ACCOUNTS = 20;

  @TempDir private Path directory;

  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  @Test
  void nothingIsLostWhenAnOwnerIsKilled() throws Exception {
    NodesDemo demo = demo();
    assertThat(demo.run(3, 1, List.of(demo::killTheBusiest))).as(text()).isTrue();
    assertThat(text()).contains("SIGKILL for node", allAnswered());
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void nothingIsLostWhenNodesAreKilledPausedAndRestarted() throws Exception {
    assertThat(demo().run(3, 1)).as(text()).isTrue();
    assertThat(text()).contains("SIGKILL for node", "is paused", "rolling restart", allAnswered());
  }

  private NodesDemo demo() throws IOException {
    List<String> lines = new ArrayList<>(List.of("id,from,to,amount"));
    for (int i = 0; i < TRANSFERS; i++) {
      lines.add("t" + i + ",a" + i % ACCOUNTS + ",b" + i * 7 % ACCOUNTS + ",1.50");
    }
    Path file = Files.write(directory.resolve("transfers.csv"), lines);
    return new NodesDemo(
        DemoDirectory.prepare(directory.resolve("demo")),
        TransferFile.read(file),
        new PrintStream(text, /* autoFlush= */ true, StandardCharsets.UTF_8));
  }

  private String text() {
    return text.toString(StandardCharsets.UTF_8);
  }

  private static String allAnswered() {
    return "%,d transfers answered, 0 between two accounts".formatted(TRANSFERS);
  }
}
