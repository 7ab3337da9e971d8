package dev.holdfast.operate.console;

import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.ConsoleRole;
import dev.holdfast.console.ConsoleToken;
import dev.holdfast.console.HoldfastConsole;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.launcher.process.EndRequest;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Door;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The verb {@code console}. Created and populated by the command line library. */
@Command(
    name = "console",
    description = {
      "Shows a data directory in a browser: the running process through its operator's socket, or a"
          + " stopped directory, which is only read. Prints the address and a token for the login,"
          + " and listens on 127.0.0.1 until it is interrupted.",
      "Example: ./holdfast console --data data/demo"
    })
public final class ConsoleCommand implements Callable<Integer> {

  @Mixin private @Nullable DataDirectory data;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8788",
      description = "The port to listen on; 0 for any free one; default: 8788.")
  private int port;

  @Spec private @Nullable CommandSpec spec;

  /** Creates the command; called by the command line library. */
  public ConsoleCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ConsoleCommand(), options);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (data == null || spec == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    try (EndRequest end = EndRequest.expect()) {
      run(data.path(), spec.commandLine().getOut(), end.asked());
    }
    return 0;
  }

  /** Serves until something counts the latch down. */
  void run(Path directory, PrintWriter out, CountDownLatch end)
      throws IOException, InterruptedException {
    if (port < 0 || port > 65_535) {
      throw new WrongInputException("--port is from 0 to 65535: " + port);
    }
    String token = ConsoleToken.random();
    try (Door door = Door.open(directory, false, OperatorRequest.of("objects"));
        HoldfastConsole console = start(door, token)) {
      out.println("Console of " + directory + (door.isRunning() ? ", running" : ", stopped"));
      out.println("  address  " + console.address());
      out.println("  token    " + token);
      out.flush();
      end.await();
    }
  }

  private HoldfastConsole start(Door door, String token) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    // A stopped directory is shown as a copy: what was changed there would be lost.
    ConsoleRole role = door.isRunning() ? ConsoleRole.OPERATOR : ConsoleRole.VIEWER;
    try {
      return HoldfastConsole.start(
          door.operations(),
          ConsoleOptions.DEFAULT.withAddress(address).withToken(ConsoleToken.of(role, token)));
    } catch (IOException e) {
      throw new RunFailedException("cannot listen on port " + port + ": " + e.getMessage());
    }
  }
}
