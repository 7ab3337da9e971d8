package dev.holdfast.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.embedded.Holdfast;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConsoleCommandTest {

  @TempDir private Path directory;

  @Test
  void printsWhereAStoppedDirectoryIsShownAndTheToken() throws Exception {
    Holdfast.open(directory, open -> {}).close();
    StringWriter printed = new StringWriter();
    ConsoleCommand command = new ConsoleCommand();
    new CommandLine(command).parseArgs("--data", directory.toString(), "--port", "0");

    command.run(directory, new PrintWriter(printed), new CountDownLatch(0));

    assertThat(printed.toString())
        .contains("Console of " + directory + ", stopped")
        .containsPattern("address  http://127\\.0\\.0\\.1:[0-9]+/")
        .containsPattern("token    [0-9a-f]{32}");
  }
}
