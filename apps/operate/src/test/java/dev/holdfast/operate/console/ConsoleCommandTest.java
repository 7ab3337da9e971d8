package dev.holdfast.operate.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.launcher.process.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConsoleCommandTest {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

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

  /** What was changed there would be lost. */
  @Test
  void nobodyChangesACopyOfAStoppedDirectory() throws Exception {
    Holdfast.open(directory, open -> {}).close();
    PipedWriter printed = new PipedWriter();
    BufferedReader lines = new BufferedReader(new PipedReader(printed));
    ConsoleCommand command = new ConsoleCommand();
    new CommandLine(command).parseArgs("--data", directory.toString(), "--port", "0");
    CountDownLatch end = new CountDownLatch(1);
    Thread console = Thread.ofPlatform().start(() -> run(command, new PrintWriter(printed), end));

    lines.readLine();
    String address = lines.readLine().strip().split(" +")[1];
    String token = lines.readLine().strip().split(" +")[1];
    HttpURLConnection login = connection(address + "login", "");
    login.setDoOutput(true);
    login.getOutputStream().write(("token=" + token).getBytes(StandardCharsets.US_ASCII));
    assertThat(login.getResponseCode()).isEqualTo(303);
    String cookie = login.getHeaderField("Set-Cookie").split(";", 2)[0];

    assertThat(connection(address + "objects", cookie).getResponseCode()).isEqualTo(200);
    assertThat(connection(address + "object/act?action=reset", cookie).getResponseCode())
        .isEqualTo(403);
    end.countDown();
    console.join();
  }

  private void run(ConsoleCommand command, PrintWriter out, CountDownLatch end) {
    try {
      command.run(directory, out, end);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static HttpURLConnection connection(String address, String cookie) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
    connection.setInstanceFollowRedirects(false);
    connection.setRequestProperty("Cookie", cookie);
    return connection;
  }

  /** It shows a copy in the temporary directory, which nothing else deletes. */
  @Test
  void leavesNothingBehindWhenItIsAskedToEnd() throws Exception {
    Path data = Files.createDirectory(directory.resolve("data"));
    Path temporary = Files.createDirectory(directory.resolve("temporary"));
    Holdfast.open(data, open -> {}).close();
    try (ChildJvm process =
        ChildJvm.startWithErrors(
            List.of("-Djava.io.tmpdir=" + temporary),
            ConsoleCommand.class,
            List.of("--data", data.toString(), "--port", "0"))) {
      List<String> said = new ArrayList<>();
      while (said.isEmpty() || !said.getLast().startsWith("  token")) {
        said.add(process.nextLine(PATIENCE).orElseThrow(() -> new AssertionError(said)));
      }
      assertThat(temporary).isNotEmptyDirectory();

      ProcessHandle.of(process.pid()).orElseThrow().destroy();
      process.exitCode();
    }

    assertThat(temporary).isEmptyDirectory();
  }

  @Test
  void portsThatAreNoneAndPortsInUseAreRefusedInWords() throws Exception {
    Path data = Files.createDirectory(directory.resolve("refused"));
    Holdfast.open(data, open -> {}).close();
    try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> run(data, String.valueOf(used.getLocalPort())))
          .isInstanceOf(RunFailedException.class)
          .hasMessageContaining("cannot listen on port " + used.getLocalPort());
    }
    assertThatThrownBy(() -> run(data, "70000"))
        .isInstanceOf(WrongInputException.class)
        .hasMessageContaining("--port is from 0 to 65535: 70000");
  }

  private static void run(Path data, String port) throws Exception {
    ConsoleCommand command = new ConsoleCommand();
    new CommandLine(command).parseArgs("--data", data.toString(), "--port", port);
    command.run(data, new PrintWriter(new StringWriter()), new CountDownLatch(0));
  }
}
