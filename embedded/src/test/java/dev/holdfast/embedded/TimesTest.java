package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One rule for times at every entry point: truncated to the millisecond, towards the past. */
class TimesTest {

  /** Times together with types that keep their nanoseconds. */
  public record Visit(Instant begin, List<Instant> all, OffsetDateTime offset, Duration length) {}

  /** A time that was an SQL parameter. */
  public record Bound(Instant time) {}

  /** Stores times in every possible way. */
  public interface Diary {

    /** Stores a visit; returns the value read in the same turn. */
    Visit put(Visit visit);

    /** Returns the value that an SQL parameter is read as. */
    Instant sql(Instant time);

    /** Sets the alarm; returns the time read back. */
    Instant alarm(Instant time);

    /** Returns what the object received, as text, which is never truncated. */
    String got(Map<String, Instant> times);

    /** Returns a time that has nanoseconds. */
    Instant finer();
  }

  static final class DiaryObject implements Diary, AlarmHandler {

    private final ObjectStorage storage;

    DiaryObject(ObjectContext context) {
      this.storage = context.storage();
    }

    @Override
    public Visit put(Visit visit) {
      storage.put("visit", visit);
      return storage.get("visit", Visit.class).orElseThrow();
    }

    @Override
    public Instant sql(Instant time) {
      return storage.sql().exec("SELECT ? AS time", time).as(Bound.class).one().time();
    }

    @Override
    public Instant alarm(Instant time) {
      storage.setAlarm(time);
      return storage.getAlarm().orElseThrow();
    }

    @Override
    public String got(Map<String, Instant> times) {
      return times.toString();
    }

    @Override
    public Instant finer() {
      return Instant.ofEpochSecond(-1, 999_999_999);
    }

    @Override
    public void alarm(AlarmInfo info) {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"SQLITE", "ROCKSDB"})
  void timesAreCutToTheMillisecondTowardsThePast(StorageKind kind, @TempDir Path directory) {
    VirtualClock clock = new VirtualClock();
    NamespaceOptions options = NamespaceOptions.DEFAULT.withStorage(kind);
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            clock,
            objects -> objects.namespace("diaries", Diary.class, DiaryObject::new, options))) {
      Diary diary = runtime.namespace("diaries", Diary.class).getByName("a");
      Instant now = clock.now();
      Instant cutNow = now.truncatedTo(ChronoUnit.MILLIS);
      assertThat(now).as("the clock of tests shows what a real one does").isAfter(cutNow);
      for (Instant time : List.of(now, Instant.ofEpochSecond(-5, 999_999_999))) {
        Instant cut = time.truncatedTo(ChronoUnit.MILLIS);
        OffsetDateTime offset = time.atOffset(ZoneOffset.ofHours(2));
        Duration length = Duration.ofNanos(1);

        assertThat(diary.put(new Visit(time, List.of(time), offset, length)))
            .isEqualTo(new Visit(cut, List.of(cut), offset, length));
        assertThat(diary.got(Map.of("time", time))).isEqualTo("{time=" + cut + "}");
        if (kind.equals(StorageKind.SQLITE)) {
          assertThat(diary.sql(time)).isEqualTo(cut);
        }
      }
      Instant inAnHour = now.plus(Duration.ofHours(1));
      assertThat(diary.alarm(inAnHour)).isEqualTo(inAnHour.truncatedTo(ChronoUnit.MILLIS));
      assertThat(diary.finer()).isEqualTo(Instant.ofEpochMilli(-1));
    }
  }
}
