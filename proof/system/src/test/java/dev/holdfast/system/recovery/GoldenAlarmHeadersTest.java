package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.filter.DeliveredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data directory with alarms that keep headers, on both engines. {@code
 * -Dholdfast.golden.write=DIRECTORY} writes a new one, for a new version of a format.
 */
class GoldenAlarmHeadersTest {

  private static final String NAME = "alarm-headers-2.zip";
  private static final Instant DUE = VirtualClock.DEFAULT_START.plusSeconds(60);

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** Each run of an alarm, with its headers. */
  private final List<String> runs = new CopyOnWriteArrayList<>();

  /** Sets alarms. */
  interface Sleeper {
    void setOne();

    void setSchedules();
  }

  /** The object of both engines. */
  record SleeperObject(ObjectStorage storage) implements Sleeper, AlarmHandler {

    @Override
    public void setOne() {
      storage.setAlarm(DUE);
    }

    @Override
    public void setSchedules() {
      storage.schedules().at("named", DUE.plusSeconds(1));
      storage.schedules().every("every", Duration.ofDays(1), MissedRuns.SKIP);
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  private ObjectRuntime open(Path data) {
    return Holdfast.open(
        data,
        clock,
        objects -> {
          for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
            objects.namespace(
                kind.name(),
                Sleeper.class,
                context -> new SleeperObject(context.storage()),
                NamespaceOptions.DEFAULT.withStorage(kind));
          }
          objects.filter(this::filter);
        });
  }

  private @Nullable Object filter(DeliveredCall call) throws Throwable {
    if (call.alarm().isEmpty()) {
      return call.proceed(
          Headers.of("tenant", "é " + call.operation()).with("user", "u").keep("tenant"));
    }
    runs.add(
        call.namespace()
            + " "
            + call.name().orElseThrow()
            + " "
            + call.alarm().get().name()
            + call.headers().asMap());
    return call.proceed();
  }

  private static ObjectNamespace<Sleeper> sleepers(ObjectRuntime runtime, StorageKind kind) {
    return runtime.namespace(kind.name(), Sleeper.class);
  }

  private void write(Path data) {
    for (int step = 0; step < 2; step++) {
      // The second half changes what the first has saved.
      try (ObjectRuntime runtime = open(data)) {
        for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
          Sleeper sleeper = sleepers(runtime, kind).getByName("a");
          if (step == 0) {
            sleeper.setOne();
          } else {
            sleeper.setSchedules();
          }
        }
      }
    }
  }

  @Test
  void alarmsOfAnOldDirectoryHaveTheirHeadersAndTakeThemAlong() throws IOException {
    Path data = directory.resolve("data");
    String target = System.getProperty("holdfast.golden.write");
    if (target != null) {
      write(directory.resolve("written"));
      GoldenZip.pack(directory.resolve("written"), Path.of(target).resolve(NAME));
    }
    try (InputStream zip =
        target != null
            ? Files.newInputStream(Path.of(target).resolve(NAME))
            : Objects.requireNonNull(GoldenAlarmHeadersTest.class.getResourceAsStream(NAME))) {
      GoldenZip.unpack(zip, data);
    }
    try (ObjectRuntime runtime = open(data)) {
      for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
        Path file = directory.resolve(kind + ".sqlite");
        ObjectNamespace<Sleeper> sleepers = sleepers(runtime, kind);
        runtime.recovery(kind.name(), sleepers.idFromName("a")).exportTo(file);
        runtime.recovery(kind.name(), sleepers.idFromName("copy")).importFrom(file);
      }
      clock.advance(Duration.ofMinutes(2));
    }

    assertThat(runs)
        .containsExactlyInAnyOrder(
            "SQLITE a {tenant=é setOne}",
            "SQLITE a named{tenant=é setSchedules}",
            "ROCKSDB a {tenant=é setOne}",
            "ROCKSDB a named{tenant=é setSchedules}",
            "SQLITE copy {tenant=é setOne}",
            "SQLITE copy named{tenant=é setSchedules}",
            "ROCKSDB copy {tenant=é setOne}",
            "ROCKSDB copy named{tenant=é setSchedules}");
  }
}
