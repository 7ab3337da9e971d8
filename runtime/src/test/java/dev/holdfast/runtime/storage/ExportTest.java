package dev.holdfast.runtime.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.spi.ObjectFileFormat;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The export of objects to files. */
final class ExportTest {

  private static final long NEVER = -1;

  @Test
  void exportedFileHasNothingThatACrashCouldTakeBack() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    InMemoryBackend backend = new InMemoryBackend(journal);
    backend.recover(journal);
    AtomicLong durableAtPublish = new AtomicLong(NEVER);
    ObjectFileFormat files =
        new ObjectFileFormat() {
          @Override
          public PendingFile write(ObjectKey key, StoreTurn turn, Path target) {
            assertThat(turn.get("key".getBytes(StandardCharsets.UTF_8))).isNotNull();
            return new PendingFile() {
              @Override
              public void publish() {
                durableAtPublish.set(journal.durablePosition());
              }

              @Override
              public void close() {}
            };
          }

          @Override
          public void read(ObjectKey key, Path source, StoreTurn turn, Terms terms) {}
        };
    try (ObjectRuntime runtime =
        new EngineBuilder(
                objects ->
                    objects.namespace(
                        "things",
                        Thing.class,
                        context ->
                            _ -> {
                              context.storage().put("key", 1L, WriteOptions.DEFAULT.unconfirmed());
                              return null;
                            },
                        NamespaceOptions.DEFAULT))
            .backend(StorageKind.SQLITE, backend)
            .objectFiles(files)
            .open(journal, new VirtualClock(), new SplittableRandom(1))) {
      var things = runtime.namespace("things", Thing.class);
      things.getByName("a").run(0);
      long written = journal.lastPosition();

      RunningCall exporting =
          new RunningCall(
              Thread.ofVirtual().factory(),
              () -> {
                runtime.recovery("things", things.idFromName("a")).exportTo(Path.of("unused"));
                return null;
              });
      exporting.awaitParked();
      journal.awaitWaiters(1);
      assertThat(durableAtPublish).hasValue(NEVER);
      journal.makeAllDurable();
      exporting.get();

      assertThat(durableAtPublish).hasValue(written);
    }
  }
}
