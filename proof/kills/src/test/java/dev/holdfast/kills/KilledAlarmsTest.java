package dev.holdfast.kills;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.faults.Polling;
import dev.holdfast.kills.AlarmProcess.Clock;
import dev.holdfast.launcher.process.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that sets and fires alarms repeatedly, over the same directory. */
final class KilledAlarmsTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int KILLS = Integer.getInteger("holdfast.test.kills", LONG ? 1_000 : 2);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @Test
  void everyConfirmedAlarmFiresAndNoOther() {
    Set<String> confirmed = new HashSet<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int kill = 0; kill < KILLS; kill++) {
      try (ChildJvm child =
          ChildJvm.start(AlarmProcess.class, List.of(directory.toString(), "s" + kill))) {
        long lines = 20 + random.nextInt(200);
        for (long line = 0; line < lines && !child.ended(); line++) {
          child.nextLine(Duration.ofSeconds(60)).ifPresent(confirmed::add);
        }
        child.kill();
        while (!child.ended()) {
          Optional<String> line = child.nextLine(Duration.ofSeconds(60));
          line.ifPresent(confirmed::add);
        }
        assertThat(child.wasKilled()).isTrue();
      }
    }
    try (ObjectRuntime runtime = AlarmProcess.open(directory)) {
      for (String namespace : AlarmProcess.NAMESPACES) {
        awaitNothingPending(runtime, namespace);
        Set<String> ran = ran(runtime, namespace);
        Set<String> expected = new HashSet<>();
        confirmed.stream()
            .filter(line -> line.startsWith("set " + namespace + " "))
            .forEach(expected::add);
        assertThat(ran).as("runs of %s", namespace).containsAll(expected);
        // Each process may have set one alarm that it did not confirm before the kill.
        assertThat(ran.size() - expected.size()).isBetween(0, KILLS);
        assertThat(ran).noneMatch(line -> line.contains("early"));
        assertThat(
                runtime
                    .namespace(namespace, Clock.class)
                    .alarms()
                    .abandoned(Optional.empty(), 9)
                    .items())
            .isEmpty();
      }
    }
  }

  /** Alarms are at most a third of a second ahead, and a retry after that. */
  private static void awaitNothingPending(ObjectRuntime runtime, String namespace) {
    while (!runtime
        .namespace(namespace, Clock.class)
        .alarms()
        .pending(Optional.empty(), 1)
        .items()
        .isEmpty()) {
      Polling.pause();
    }
  }

  private static Set<String> ran(ObjectRuntime runtime, String namespace) {
    Set<String> ran = new HashSet<>();
    for (int number = 0; number < AlarmProcess.OBJECTS; number++) {
      String object = "o" + number;
      runtime
          .namespace(namespace, Clock.class)
          .getByName(object)
          .runs()
          .forEach(
              (key, times) -> {
                ran.add("set " + namespace + " " + object + " " + key);
                // Once, and once more if the first run had to fail. A run that a kill has ended has
                // left no count: the removal of the alarm and the count are one batch.
                assertThat(times).as("runs of %s %s %s", namespace, object, key).isBetween(1L, 2L);
              });
    }
    return ran;
  }
}
