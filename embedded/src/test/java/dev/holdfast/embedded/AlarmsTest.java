package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.AlarmOptions;
import dev.holdfast.AlarmStatus;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alarms with the real storage engines, on a clock that the tests advance. */
class AlarmsTest {

  /** An object that sets its alarm. */
  public interface Sleeper {

    /** Prepares the object's data and sets the alarm. */
    void wakeAt(Instant time);
  }

  private static final class SleeperObject implements Sleeper, AlarmHandler {
    private final ObjectContext context;
    private final BiConsumer<ObjectContext, AlarmInfo> handler;

    SleeperObject(ObjectContext context, BiConsumer<ObjectContext, AlarmInfo> handler) {
      this.context = context;
      this.handler = handler;
    }

    @Override
    public void wakeAt(Instant time) {
      context.storage().setAlarm(time);
    }

    @Override
    public void alarm(AlarmInfo info) {
      handler.accept(context, info);
    }
  }

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private final Queue<String> runs = new ConcurrentLinkedQueue<>();

  private ObjectRuntime open(StorageKind kind, BiConsumer<ObjectContext, AlarmInfo> handler) {
    return Runtimes.open(
        directory,
        clock,
        objects ->
            objects.namespace(
                "sleepers",
                Sleeper.class,
                context -> new SleeperObject(context, handler),
                NamespaceOptions.DEFAULT.withStorage(kind)));
  }

  private static Sleeper sleeper(ObjectRuntime runtime, String name) {
    return runtime.namespace("sleepers", Sleeper.class).getByName(name);
  }

  private static List<AlarmStatus> abandoned(ObjectRuntime runtime) {
    return runtime
        .namespace("sleepers", Sleeper.class)
        .alarms()
        .abandoned(Optional.empty(), 10)
        .items();
  }

  private void note(ObjectContext context, AlarmInfo info) {
    runs.add(context.id().name().orElse("?") + "#" + info.retryCount());
  }

  @Test
  void handlerWhoseCommitIsRefusedIsRetriedSixTimesAndThenGivenUp() {
    BiConsumer<ObjectContext, AlarmInfo> orphan =
        (context, info) -> {
          note(context, info);
          context.storage().sql().exec("CREATE TABLE IF NOT EXISTS p (id INTEGER PRIMARY KEY)");
          context
              .storage()
              .sql()
              .exec(
                  "CREATE TABLE IF NOT EXISTS c"
                      + " (p REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)");
          context.storage().sql().exec("INSERT INTO c VALUES (5)");
        };
    try (ObjectRuntime runtime = open(StorageKind.SQLITE, orphan)) {
      sleeper(runtime, "a").wakeAt(clock.now().plusSeconds(1));

      clock.advance(Duration.ofDays(1));

      assertThat(runs).containsExactly("a#0", "a#1", "a#2", "a#3", "a#4", "a#5", "a#6");
      assertThat(abandoned(runtime)).hasSize(1);
    }
  }

  @Test
  void handlersOnAClockOfATestRunOneAtATimeInDueOrder() {
    AtomicInteger running = new AtomicInteger();
    BiConsumer<ObjectContext, AlarmInfo> alone =
        (context, info) -> {
          assertThat(running.incrementAndGet()).isEqualTo(1);
          context.storage().put("row", 1);
          note(context, info);
          Thread.yield();
          running.decrementAndGet();
        };
    try (ObjectRuntime runtime = open(StorageKind.SQLITE, alone)) {
      for (int i = 9; i >= 0; i--) {
        sleeper(runtime, "s" + i).wakeAt(clock.now().plusSeconds(1).plusMillis(i));
      }
      // All are due when they are first looked at.
      clock.setWallClock(clock.now().plusSeconds(60));

      clock.advance(Duration.ofMinutes(1));

      assertThat(runs)
          .containsExactly(
              "s0#0", "s1#0", "s2#0", "s3#0", "s4#0", "s5#0", "s6#0", "s7#0", "s8#0", "s9#0");
    }
  }

  @Test
  void heldAlarmsFireOnceTheApplicationIsReady() {
    try (ObjectRuntime runtime = open(StorageKind.SQLITE, this::note)) {
      sleeper(runtime, "early").wakeAt(clock.now().plusSeconds(1));
    }
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            clock,
            objects ->
                objects
                    .alarms(AlarmOptions.DEFAULT.withHeld())
                    .namespace(
                        "sleepers",
                        Sleeper.class,
                        context -> new SleeperObject(context, this::note)))) {
      sleeper(runtime, "late").wakeAt(clock.now().plusSeconds(2));
      clock.advance(Duration.ofHours(1));
      assertThat(runs).isEmpty();
      assertThat(runtime.health().reasons()).isEmpty();

      runtime.admin().startAlarms();
      runtime.admin().startAlarms();
      clock.advance(Duration.ofSeconds(1));
      assertThat(runs).containsExactly("early#0", "late#0");
    }
  }
}
