package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two saves of the catalog are due at once, and a busy machine runs the later one first. */
final class CatalogSaveOrderTest {

  private static final ObjectKey KEY =
      new ObjectKey("tests", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  @TempDir private Path directory;

  /** The journal kept nothing before the later mark, and refused the file with the earlier one. */
  @Test
  void earlierSaveThatComesLateDoesNotTakeTheCatalogBack() throws IOException {
    InMemoryJournal records = new InMemoryJournal(Durability.ON_WAIT);
    HeldListeners journal = new HeldListeners(records);
    Path data = directory.resolve("data");
    Path image = directory.resolve("image");
    try (StorageThreads threads = new StorageThreads(2)) {
      SqliteBackend backend = open(journal, threads, data);
      backend.recover(records);
      for (int turn = 0; turn < 2; turn++) {
        commit(backend, turn);
        backend.checkpointBefore(Long.MAX_VALUE);
        backend.awaitIdle();
      }
      assertThat(journal.held).hasSize(2);
      journal.held.removeLast().run();
      backend.awaitIdle();
      long lowWaterMark = backend.lowWaterMark();
      journal.held.removeLast().run();
      backend.awaitIdle();

      CopyAtRest.of(data, image);
      InMemoryJournal left = records.crash();
      left.trimBefore(lowWaterMark);
      backend.close();
      SqliteBackend again = open(left, threads, image);
      again.recover(left);
      assertThat(again.catalog().has(KEY)).isTrue();
      again.close();
    }
  }

  private static SqliteBackend open(Journal journal, StorageThreads threads, Path data) {
    return new SqliteBackend(
        journal, threads, new VirtualClock(), new FileDisk(), new SqliteOptions(data, 2));
  }

  private static void commit(SqliteBackend backend, int number) {
    StoreTurn turn = backend.store(KEY).beginTurn();
    turn.put(new byte[] {1}, new byte[] {(byte) number});
    turn.seal();
  }

  /** Keeps what is to be notified of durable records until the test runs it. */
  private static final class HeldListeners extends ForwardingJournal {
    final Deque<Runnable> held = new ArrayDeque<>();

    HeldListeners(Journal journal) {
      super(journal);
    }

    @Override
    public void whenDurable(long position, DurabilityListener listener) {
      held.add(
          () -> {
            awaitDurable(position);
            super.whenDurable(position, listener);
          });
    }
  }
}
