package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operate.Shop.Account;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stuck object is found from the outside. */
final class ExecutionsVerbTest {

  @TempDir private Path data;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch stuck = new CountDownLatch(1);

  private long stayInTheTurn(long amount) {
    begun.countDown();
    try {
      stuck.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("No thread interrupts this one", e);
    }
    return amount;
  }

  private CommandLineRun executions(String... options) {
    String[] arguments = new String[options.length + 3];
    arguments[0] = "executions";
    System.arraycopy(options, 0, arguments, 1, options.length);
    arguments[options.length + 1] = "--data";
    arguments[options.length + 2] = data.toString();
    return CommandLineRun.inspect(arguments);
  }

  @Test
  void stuckCallIsListedWithItsStack() throws Exception {
    VirtualClock clock = new VirtualClock();
    Account account = this::stayInTheTurn;
    try (ObjectRuntime runtime =
        Holdfast.open(
            data,
            clock,
            objects ->
                objects.namespace("accounts", Account.class, _ -> account).options(Shop.SERVED))) {
      Thread caller =
          Thread.startVirtualThread(
              () -> runtime.namespace("accounts", Account.class).getByName("alice").add(1));
      begun.await();

      assertThat(executions().out())
          .containsPattern("accounts +alice +call +add +runs +- +0")
          .doesNotContain("stayInTheTurn");
      assertThat(executions("--stack").out()).contains("activity: runs").contains("stayInTheTurn");
      assertThat(executions("--longer-than", "5").out()).isEmpty();
      clock.advance(Duration.ofMinutes(6));
      // The walk that saw it runs beside the clock.
      while (!executions("--longer-than", "5").out().contains("alice")) {
        Thread.onSpinWait();
      }
      assertThat(CommandLineRun.inspect("health", "--data", data.toString()).out())
          .contains("execution-long")
          .contains("call add of accounts/");
      stuck.countDown();
      caller.join();
    }
    CommandLineRun stopped = executions();
    assertThat(stopped.code()).isEqualTo(1);
    assertThat(stopped.err()).contains("no process has");
  }
}
