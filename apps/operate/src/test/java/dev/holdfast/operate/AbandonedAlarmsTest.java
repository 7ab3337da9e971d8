package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.health.HealthState;
import dev.holdfast.operate.Shop.Account;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alarms that were given up are seen, armed again and discarded from the outside. */
final class AbandonedAlarmsTest {

  @TempDir private Path data;

  /** Later than the clock of the machine, which arms the alarms of a stopped directory. */
  private final VirtualClock clock = new VirtualClock(Instant.parse("2100-01-01T00:00:00Z"));

  private final AtomicBoolean fails = new AtomicBoolean(true);
  private final AtomicInteger ran = new AtomicInteger();

  private final class Reminder implements Account, AlarmHandler {

    private final ObjectContext context;

    Reminder(ObjectContext context) {
      this.context = context;
    }

    @Override
    public long add(long amount) {
      context.storage().put("amount", amount);
      context.storage().setAlarm(context.clock().instant().plusSeconds(amount));
      return amount;
    }

    @Override
    public void alarm(AlarmInfo alarm) throws AbandonAlarmException {
      if (fails.get()) {
        throw new AbandonAlarmException("planned", null);
      }
      ran.incrementAndGet();
    }
  }

  private ObjectRuntime open() {
    return Holdfast.open(
        data,
        clock,
        objects ->
            objects.namespace("accounts", Account.class, Reminder::new).options(Shop.SERVED));
  }

  private CommandLineRun inspect(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", data.toString()));
    return CommandLineRun.inspect(all.toArray(String[]::new));
  }

  private ObjectRuntime withTwoGivenUp() {
    ObjectRuntime runtime = open();
    runtime.namespace("accounts", Account.class).getByName("ann").add(1);
    runtime.namespace("accounts", Account.class).getByName("bob").add(1);
    clock.advance(Duration.ofSeconds(5));
    fails.set(false);
    return runtime;
  }

  @Test
  void runningProcessArmsAndDiscardsThem() {
    try (ObjectRuntime runtime = withTwoGivenUp()) {
      assertThat(inspect("health").out()).contains("alarms-abandoned").contains("{accounts=2}");
      assertThat(inspect("rearm", "accounts", "ann").out()).contains("rearmed: true");
      assertThat(inspect("discard", "accounts", "bob").code()).as("without --yes").isEqualTo(2);
      assertThat(inspect("discard", "accounts", "bob", "--yes").out()).contains("discarded: true");
      clock.advance(Duration.ofSeconds(1));

      assertThat(ran).hasValue(1);
      assertThat(runtime.health().state()).isEqualTo(HealthState.UP);
      CommandLineRun none = inspect("rearm", "accounts", "ann");
      assertThat(none.code()).isEqualTo(1);
      assertThat(none.err()).contains("has no alarm without a name that was given up");
    }
  }

  @Test
  void stoppedDirectoryArmsThemForItsNextProcess() {
    withTwoGivenUp().close();
    assertThat(inspect("rearm", "accounts", "ann").out()).contains("rearmed: true");
    assertThat(ran).hasValue(0);
    try (ObjectRuntime runtime = open()) {
      clock.advance(Duration.ofSeconds(1));
      assertThat(ran).hasValue(1);
      assertThat(runtime.health().reasons().getFirst().text()).contains("{accounts=1}");
    }
  }
}
