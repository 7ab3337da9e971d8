package dev.holdfast.embedded.event;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.backend.sqlite.SqliteBackend;
import dev.holdfast.backend.sqlite.SqliteOptions;
import dev.holdfast.faults.SilentLog;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** A runtime whose journal has small segments, and keeps none for its history. */
final class SmallSegments implements AutoCloseable {

  final VirtualClock clock = new VirtualClock();
  final ObjectRuntime runtime;
  final FileJournal journal;
  final JournalView consumers;

  SmallSegments(Path data, Disk disk) {
    EngineBuilder engine =
        new EngineBuilder(
            objects -> objects.namespace("counters", EmittingCounter.class, EmittingCounter::of));
    StorageThreads threads = new StorageThreads(2);
    journal =
        FileJournal.open(
            data.resolve("journal"),
            clock,
            JournalOptions.DEFAULT.withDisk(disk).withSegmentBytes(32 << 10));
    SqliteBackend sqlite =
        new SqliteBackend(
            journal, threads, clock, disk, new SqliteOptions(data.resolve("sqlite"), 10));
    consumers = engine.consumers(journal, journal.history(), clock);
    sqlite.recover(journal.recoveryLog());
    consumers.recover(journal.recoveryLog());
    journal.start(List.of(sqlite, consumers));
    runtime =
        engine
            .backend(StorageKind.SQLITE, sqlite)
            .closeLast(threads)
            .log(new SilentLog())
            .open(journal, clock, new Random(1));
  }

  EmittingCounter counter() {
    return runtime.namespace("counters", EmittingCounter.class).getByName("a");
  }

  @Override
  public void close() {
    runtime.close();
  }
}
