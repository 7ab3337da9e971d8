package dev.holdfast.system.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk on which an object's file is saved too slowly or not at all: the health says so. */
final class SaveHealthTest {

  /** An object with one number. */
  interface Counter {
    /** Adds to the number and returns it. */
    long add(long summand);
  }

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private InMemoryJournal journal = new InMemoryJournal(Durability.ON_APPEND);

  /** The journal asks for saves when it grows; here the test does. */
  private void requestSaves(SqliteBackend backend) {
    backend.checkpointBefore(journal.lastPosition() + 1);
  }

  private SqliteBackend backend(Disk disk, StorageThreads threads) {
    SqliteBackend backend =
        new SqliteBackend(journal, threads, clock, disk, new SqliteOptions(directory, 10));
    backend.recover(journal);
    return backend;
  }

  private ObjectRuntime open(SqliteBackend backend, StorageThreads threads) {
    return new EngineBuilder(
            objects ->
                objects.namespace(
                    "counters",
                    Counter.class,
                    context ->
                        summand -> {
                          long sum = context.storage().get("sum", Long.class).orElse(0L) + summand;
                          context.storage().put("sum", sum);
                          return sum;
                        }))
        .backend(StorageKind.SQLITE, backend)
        .closeLast(threads)
        .open(journal, clock, new SplittableRandom(1));
  }

  private static Counter counter(ObjectRuntime runtime, String name) {
    return runtime.namespace("counters", Counter.class).getByName(name);
  }

  private static boolean isObjectFile(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(".sqlite") && !name.startsWith("catalog");
  }

  private static Health awaitChange(ObjectRuntime runtime, Health from) {
    Health now = runtime.health();
    while (now.state() == from.state()) {
      Polling.pause();
      now = runtime.health();
    }
    return now;
  }

  private static void assertOnly(Health health, String code) {
    assertThat(health.state()).isEqualTo(HealthState.DEGRADED);
    assertThat(health.reasons()).singleElement().extracting(HealthReason::code).isEqualTo(code);
  }

  /** Holds back the syncs of objects' files. */
  private static final class HeldDisk extends ForwardingDisk {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch allowed = new CountDownLatch(1);

    HeldDisk() {
      super(new FileDisk());
    }

    @Override
    protected void force(Path path, DiskFile file) throws IOException {
      if (isObjectFile(path)) {
        begun.countDown();
        try {
          allowed.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      super.force(path, file);
    }
  }

  @Test
  @SuppressWarnings("try") // the release at the end is for a test that has failed before
  void slowSyncOfAnObjectsFileIsASaveThatIsLateUntilItEnds() throws Exception {
    HeldDisk disk = new HeldDisk();
    StorageThreads threads = new StorageThreads(2);
    SqliteBackend backend = backend(disk, threads);
    try (ObjectRuntime runtime = open(backend, threads);
        Release release = disk.allowed::countDown) { // before the runtime, which saves everything
      counter(runtime, "a").add(1);
      Health up = runtime.health();
      assertThat(up).isEqualTo(new Health(HealthState.UP, List.of()));
      requestSaves(backend);
      disk.begun.await();
      clock.advance(Duration.ofSeconds(60));
      assertThat(runtime.health()).isEqualTo(up);
      clock.advance(Duration.ofSeconds(1));
      Health late = runtime.health();
      assertOnly(late, HealthReason.SAVE_LATE);
      assertThat(counter(runtime, "b").add(1)).as("calls go on").isEqualTo(1);

      release.close();
      assertThat(awaitChange(runtime, late)).isEqualTo(up);
    }
  }

  /** Lets syncs go on. */
  private interface Release extends AutoCloseable {
    @Override
    void close();
  }

  @Test
  void objectWhoseFileCannotBeSyncedIsRefusedUntilTheRuntimeIsOpenedAgain() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    StorageThreads threads = new StorageThreads(2);
    SqliteBackend backend = backend(disk, threads);
    Health up;
    try (ObjectRuntime runtime = open(backend, threads)) {
      counter(runtime, "a").add(1);
      up = runtime.health();
      assertThat(up.state()).isEqualTo(HealthState.UP);
      disk.affectOnly(SaveHealthTest::isObjectFile);
      disk.fail(Operation.FORCE, 1);
      requestSaves(backend);

      assertOnly(awaitChange(runtime, up), HealthReason.OBJECTS_REFUSED);
      // By the reset, or by the storage if the reset is over.
      assertThatExceptionOfType(HoldfastException.class)
          .isThrownBy(() -> counter(runtime, "a").add(1));
      assertThat(counter(runtime, "b").add(1)).isEqualTo(1);
    }
    disk.heal();
    journal = journal.crash();
    StorageThreads again = new StorageThreads(2);
    try (ObjectRuntime runtime = open(backend(disk, again), again)) {
      assertThat(runtime.health()).isEqualTo(up);
      assertThat(counter(runtime, "a").add(1)).isEqualTo(2);
    }
  }
}
