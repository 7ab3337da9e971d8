package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.LogEvent;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An object that comes into being with the name of another one is in the log. */
class SharedNameReportTest {

  private final DeterministicScheduler scheduler = new DeterministicScheduler(1);
  private final Host host = Host.with().scheduler(scheduler).options(RuntimeOptions.DEFAULT).open();

  private void write(ObjectStub<Thing> thing) {
    scheduler.run(
        () -> {
          try {
            host.call(
                thing,
                (_, context) -> {
                  context.storage().put("key", 1L);
                  return "written";
                });
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  private List<String> lines() {
    scheduler.run(() -> scheduler.clock().advance(Duration.ofSeconds(5)));
    return host.log.of(LogEvent.NAME_SHARED);
  }

  @Test
  void onceAndWithWhatToDo() {
    write(host.things().stub("17"));
    write(host.things().stub("18", host.id("ann")));
    assertThat(lines()).isEmpty();

    write(host.things().stub("17", host.id("ann")));
    write(host.things().stub("17"));

    assertThat(lines())
        .singleElement()
        .asString()
        .contains(host.things().idFromName("17", host.id("ann")).toDisplayString())
        .contains("idFromName(name, near)");
    assertThat(lines()).hasSize(1);
    scheduler.run(host::close);
  }
}
