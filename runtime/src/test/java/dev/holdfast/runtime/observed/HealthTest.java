package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.LogRecords;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each reason of a runtime that is not up comes with its cause and goes with it. */
final class HealthTest {

  private static final HealthOptions NO_DISK_LIMIT = HealthOptions.DEFAULT.withDiskFreeMin(0, 0);

  @TempDir private Path directory;

  private static void assertUp(ObjectRuntime runtime) {
    assertThat(runtime.health()).isEqualTo(new Health(HealthState.UP, List.of()));
  }

  private static void assertOnly(ObjectRuntime runtime, HealthState state, String code) {
    Health health = runtime.health();
    assertThat(health.state()).isEqualTo(state);
    assertThat(health.reasons()).singleElement().extracting(HealthReason::code).isEqualTo(code);
  }

  @Test
  void closedRuntimeIsDown() {
    Host host = Host.open();
    assertUp(host.runtime);
    host.close();

    assertOnly(host.runtime, HealthState.DOWN, HealthReason.RUNTIME_CLOSED);
  }

  @Test
  void failedJournalIsDown() {
    Host host = Host.open(Durability.MANUAL);
    host.journal.fail(new IllegalStateException("the disk is gone"));

    assertOnly(host.runtime, HealthState.DOWN, HealthReason.JOURNAL_FAILED);
    host.close();
  }

  @Test
  void engineThatFailedInItsOwnWorkIsDown() throws Exception {
    AtomicBoolean exhausted = new AtomicBoolean();
    Host host = Host.with().seen(real -> withoutMemory(real, exhausted), backend -> backend).open();
    assertUp(host.runtime);
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", 1L);
                      exhausted.set(true);
                      return context.call(() -> "called"); // finds no memory in its wait
                    }))
        .isInstanceOf(InstanceResetException.class);

    assertOnly(host.runtime, HealthState.DOWN, HealthReason.ENGINE_FAILED);
    assertThat(host.runtime.health().reasons().getFirst().text())
        .contains("ran out of stack or memory");
    host.close();
    assertOnly(host.runtime, HealthState.DOWN, HealthReason.RUNTIME_CLOSED);
  }

  /** A journal that finds no memory once, when a thread waits for it. */
  private static Journal withoutMemory(Journal real, AtomicBoolean exhausted) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (_, method, arguments) -> {
              if (method.getName().equals("awaitDurable") && exhausted.getAndSet(false)) {
                throw new OutOfMemoryError("planned");
              }
              return invoke(real, method, arguments);
            });
  }

  private static @Nullable Object invoke(
      Object real, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  void stalledJournalIsDownUntilItMoves() {
    DeterministicScheduler.explore(
        5,
        scheduler -> {
          InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
          Host host = Host.with().scheduler(scheduler).journal(journal).open();
          scheduler.advance(Duration.ofMinutes(1));
          assertUp(host.runtime);
          scheduler.start(
              "caller",
              () ->
                  host.call(
                      "a",
                      (_, context) -> {
                        context.storage().put("key", 1L);
                        return 0;
                      }));
          scheduler.advance(Duration.ofSeconds(4));
          assertUp(host.runtime);
          scheduler.advance(Duration.ofSeconds(10));
          assertOnly(host.runtime, HealthState.DOWN, HealthReason.JOURNAL_STALLED);
          assertThat(host.runtime.statistics().state()).isEqualTo(RuntimeState.STALLED);

          journal.makeAllDurable();
          assertUp(host.runtime);
          assertThat(host.runtime.statistics().state()).isEqualTo(RuntimeState.OPEN);
          scheduler.run(host::close);
        });
  }

  private ObjectRuntime onDisk(Disk disk, VirtualClock clock, HealthOptions health) {
    InMemoryJournal journal = new InMemoryJournal();
    InMemoryBackend backend = new InMemoryBackend(journal);
    backend.recover(journal);
    return new EngineBuilder(
            objects ->
                objects
                    .namespace(Host.THINGS, Thing.class, _ -> _ -> 0)
                    .options(RuntimeOptions.DEFAULT.withHealth(health)))
        .backend(StorageKind.SQLITE, backend)
        .log(new LogRecords())
        .dataDirectory(directory, disk)
        .open(journal, clock, new SplittableRandom(1));
  }

  @Test
  void diskThatIsNearlyFullDegradesUntilThereIsRoom() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime = onDisk(disk, clock, NO_DISK_LIMIT.withDiskFreeMin(0, 1_000))) {
      assertUp(runtime);
      disk.limitSpace(999);
      assertUp(runtime); // the answer of the file system is kept for a second
      clock.advance(Duration.ofSeconds(1));
      assertOnly(runtime, HealthState.DEGRADED, HealthReason.DISK_NEARLY_FULL);

      disk.limitSpace(1_000);
      clock.advance(Duration.ofSeconds(1));
      assertUp(runtime);
    }
  }

  @Test
  void shareOfTheDiskCountsToo() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (ObjectRuntime runtime =
        onDisk(disk, new VirtualClock(), NO_DISK_LIMIT.withDiskFreeMin(0.000_1, 0))) {
      disk.limitSpace(1);
      assertOnly(runtime, HealthState.DEGRADED, HealthReason.DISK_NEARLY_FULL);
    }
  }

  @Test
  void fileSystemIsAskedOnceASecond() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime = onDisk(disk, clock, NO_DISK_LIMIT)) {
      for (int i = 0; i < 1_000; i++) {
        assertUp(runtime);
      }
      assertThat(disk.count(Operation.USABLE_BYTES)).isEqualTo(1);
      clock.advance(Duration.ofSeconds(1));
      assertUp(runtime);
      assertThat(disk.count(Operation.USABLE_BYTES)).isEqualTo(2);
    }
  }

  @Test
  void diskThatHangsHoldsUpOneThread() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CompletableFuture<Boolean> goOn = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    Disk disk =
        new ForwardingDisk(new FileDisk()) {
          @Override
          public boolean isWritable(Path path) {
            asked.incrementAndGet();
            hanging.countDown();
            return goOn.join();
          }
        };
    try (ObjectRuntime runtime = onDisk(disk, new VirtualClock(), NO_DISK_LIMIT)) {
      CompletableFuture<Health> first = CompletableFuture.supplyAsync(runtime::health);
      hanging.await();

      assertUp(runtime);
      goOn.complete(false);
      assertThat(first.get().state()).isEqualTo(HealthState.DEGRADED);
      assertOnly(runtime, HealthState.DEGRADED, HealthReason.DIRECTORY_NOT_WRITABLE);
      assertThat(asked).hasValue(1);
    }
  }

  @Test
  void directoryThatIsNotWritableDegradesUntilItIs() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    VirtualClock clock = new VirtualClock();
    try (ObjectRuntime runtime = onDisk(disk, clock, NO_DISK_LIMIT)) {
      disk.reportReadOnly();
      assertOnly(runtime, HealthState.DEGRADED, HealthReason.DIRECTORY_NOT_WRITABLE);
      disk.heal();
      clock.advance(Duration.ofSeconds(1));
      assertUp(runtime);

      disk.fail(Operation.USABLE_BYTES, 1);
      clock.advance(Duration.ofSeconds(1));
      assertOnly(runtime, HealthState.DEGRADED, HealthReason.DIRECTORY_NOT_WRITABLE);
      clock.advance(Duration.ofSeconds(1));
      assertUp(runtime);
    }
  }

  /** A backend that says what a backend with files would. */
  private static StorageBackend reporting(StorageBackend real, AtomicLong lag, AtomicLong refused) {
    return (StorageBackend)
        Proxy.newProxyInstance(
            StorageBackend.class.getClassLoader(),
            new Class<?>[] {StorageBackend.class},
            (_, method, arguments) -> {
              switch (method.getName()) {
                case "saveLagNanos" -> {
                  return lag.get();
                }
                case "refusedObjects" -> {
                  return refused.get();
                }
                default -> {
                  return invoke(real, method, arguments);
                }
              }
            });
  }

  @Test
  void lateSaveDegradesAndIsLoggedOnceUntilItHasCaughtUp() {
    AtomicLong lag = new AtomicLong();
    AtomicLong refused = new AtomicLong();
    DeterministicScheduler.explore(
        5,
        scheduler -> {
          lag.set(Duration.ofSeconds(60).toNanos());
          Host host =
              Host.with()
                  .scheduler(scheduler)
                  .seen((Journal journal) -> journal, real -> reporting(real, lag, refused))
                  .open();
          scheduler.advance(Duration.ofMinutes(1));
          assertUp(host.runtime);
          assertThat(host.log.of(LogEvent.SAVE_LATE)).isEmpty();
          lag.set(Duration.ofSeconds(61).toNanos());
          assertOnly(host.runtime, HealthState.DEGRADED, HealthReason.SAVE_LATE);
          scheduler.advance(Duration.ofMinutes(10));
          assertThat(host.log.of(LogEvent.SAVE_LATE)).hasSize(1);

          lag.set(0);
          assertUp(host.runtime);
          scheduler.advance(Duration.ofMinutes(10));
          assertThat(host.log.of(LogEvent.SAVE_LATE)).hasSize(1);
          scheduler.run(host::close);
        });
  }

  @Test
  void refusedObjectsDegrade() {
    AtomicLong refused = new AtomicLong();
    try (Host host =
        Host.with()
            .seen((Journal journal) -> journal, real -> reporting(real, new AtomicLong(), refused))
            .open()) {
      assertUp(host.runtime);
      refused.set(2);
      assertOnly(host.runtime, HealthState.DEGRADED, HealthReason.OBJECTS_REFUSED);
      refused.set(0);
      assertUp(host.runtime);
    }
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() {
    assertThatThrownBy(() -> HealthOptions.DEFAULT.withDiskFreeMin(1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HealthOptions.DEFAULT.withDiskFreeMin(Double.NaN, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HealthOptions.DEFAULT.withDiskFreeMin(0, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HealthOptions.DEFAULT.withAlarmsLateMax(Duration.ZERO))
        .hasMessageContaining("alarmsLateMax");
    assertThatThrownBy(() -> HealthOptions.DEFAULT.withSaveLateMax(Duration.ZERO))
        .hasMessageContaining("saveLateMax");
    assertThatThrownBy(() -> HealthOptions.DEFAULT.withJournalStalledMax(Duration.ZERO))
        .hasMessageContaining("journalStalledMax");
  }
}
