package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.StorageKind;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryHistory;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class FailedOpeningTest {

  /** Its parts are closed then, and no caller has the runtime. */
  @Test
  void runtimeWhoseOpeningFailsHasBegunNothing() {
    InMemoryJournal journal = new InMemoryJournal();
    VirtualClock clock = new VirtualClock();
    List<String> asked = new CopyOnWriteArrayList<>();
    AlarmService alarms =
        (AlarmService)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {AlarmService.class},
                (_, method, _) -> {
                  asked.add(method.getName());
                  return null;
                });
    EngineBuilder engine =
        new EngineBuilder(_ -> {})
            .backend(StorageKind.SQLITE, new InMemoryBackend(journal))
            .alarms(alarms)
            .operator(
                new InMemoryHistory(journal),
                Long.MAX_VALUE,
                _ -> {
                  throw new DataDirectoryException(Path.of("data"), "planned", null);
                });

    assertThatThrownBy(() -> engine.open(journal, clock, new SplittableRandom(1)))
        .isInstanceOf(DataDirectoryException.class);

    assertThat(asked).isEmpty();
    assertThat(clock.pendingTimers()).isZero();
  }
}
