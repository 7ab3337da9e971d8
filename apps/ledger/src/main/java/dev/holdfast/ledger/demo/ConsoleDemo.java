package dev.holdfast.ledger.demo;

import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.HoldfastConsole;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Shows a ledger in the console until it is asked to end: transfers go on, and the process that
 * makes them is killed again and again. The console is in this process, which lives on, and asks
 * the other one through its operator's socket. Owned by one thread.
 */
final class ConsoleDemo {

  private static final Duration LOOK = Duration.ofMillis(100);
  private static final long END_SECONDS_MAX = 30;

  private final DemoDirectory directory;
  private final TransferFile file;
  private final PrintStream out;
  private final Pace pace;
  private final CountDownLatch end;
  private long answered;

  /**
   * How fast everything goes.
   *
   * @param between the time between two transfers
   * @param untilKill how many transfers a process makes before it is killed
   * @param down what this process does before it starts the next one
   */
  record Pace(Duration between, int untilKill, Runnable down) {

    /** {@return 20 transfers in a second, a kill each minute, three seconds without a process} */
    static Pace calm(CountDownLatch end) {
      return new Pace(Duration.ofMillis(50), 1_200, () -> await(end, 3));
    }
  }

  /**
   * Creates it; starts nothing.
   *
   * @param end reaches zero when the demo is to end
   */
  ConsoleDemo(
      DemoDirectory directory, TransferFile file, PrintStream out, Pace pace, CountDownLatch end) {
    this.directory = directory;
    this.file = file;
    this.out = out;
    this.pace = pace;
    this.end = end;
  }

  /**
   * Runs the demonstration.
   *
   * @param port where the console listens on the loopback; 0 for any free one
   */
  void run(int port) {
    try (HoldfastConsole console = start(port)) {
      out.println("The console of the ledger is open until you press Ctrl-C.");
      out.println("  address  " + console.address());
      out.println("  token    " + console.newToken().orElseThrow());
      out.println("Open an account there, and take it back in time.");
      while (end.getCount() > 0) {
        runOneProcess();
      }
    }
  }

  private HoldfastConsole start(int port) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    try {
      return HoldfastConsole.start(
          (request, answers) -> connection().perform(request, answers),
          ConsoleOptions.DEFAULT.withAddress(address));
    } catch (IOException e) {
      throw new RunFailedException("cannot listen on port " + port + ": " + e.getMessage());
    }
  }

  private OperatorConnection connection() {
    try {
      return OperatorConnection.find(directory.ledger()).orElseThrow(() -> down(null));
    } catch (IOException e) {
      throw down(e); // the first process has not made the directory yet
    }
  }

  private static OperatorException down(@Nullable IOException cause) {
    return new OperatorException(
        Reason.UNAVAILABLE,
        "The process of the ledger is down: the demo starts it, and kills it now and then.",
        cause);
  }

  private void runOneProcess() {
    long beginNanos = System.nanoTime();
    try (ChildJvm host = startHost()) {
      long killAt = answered + pace.untilKill();
      while (end.getCount() > 0 && answered < killAt && !host.ended()) {
        host.nextLine(LOOK).ifPresent(line -> heard(line, host, beginNanos));
      }
      if (end.getCount() > 0 && !host.ended()) {
        host.kill();
        drain(host);
        out.printf("SIGKILL for process %d after %,d transfers.%n", host.pid(), answered);
        pace.down().run();
      } else {
        requireAsked(host);
        endInOrder(host);
      }
    }
  }

  private void heard(String line, ChildJvm host, long beginNanos) {
    if (line.equals("open")) {
      out.printf(
          "Process %d has the ledger open, %,d ms after its start, and makes transfers.%n",
          host.pid(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos));
    } else {
      answered++;
    }
  }

  private void drain(ChildJvm host) {
    while (!host.ended()) {
      Optional<String> line = host.nextLine(LOOK);
      answered += line.filter("answered"::equals).isPresent() ? 1 : 0;
    }
  }

  /** A terminal interrupts both processes; the other one may be faster. */
  private void requireAsked(ChildJvm host) {
    if (!await(end, 5)) {
      throw new RunFailedException(
          "Process " + host.pid() + " failed, exit code " + host.exitCode() + ".");
    }
  }

  private void endInOrder(ChildJvm host) {
    if (!host.ended()) {
      try {
        host.say("end");
      } catch (UncheckedIOException e) {
        return; // it has ended
      }
      long beginNanos = System.nanoTime();
      while (!host.ended()
          && System.nanoTime() - beginNanos < TimeUnit.SECONDS.toNanos(END_SECONDS_MAX)) {
        host.nextLine(LOOK);
      }
    }
    out.printf("The ledger is closed, after %,d transfers.%n", answered);
  }

  private ChildJvm startHost() {
    return ChildJvm.start(
        SteadyHost.class,
        List.of(
            directory.ledger().toString(),
            file.path().toAbsolutePath().toString(),
            String.valueOf(answered),
            String.valueOf(pace.between().toMillis())));
  }

  private static boolean await(CountDownLatch end, long seconds) {
    try {
      return end.await(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RunFailedException("interrupted");
    }
  }
}
