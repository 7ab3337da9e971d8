package dev.holdfast.backend.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.CommitRefusedException;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A turn that changes more than a record of the journal holds, as that of a shard. */
final class LongTurnTest {

  private static final ObjectKey KEY =
      new ObjectKey("n", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));
  private static final byte[] NAME = {1};

  @TempDir private Path directory;

  private static void put(SqliteBackend backend, int bytes) {
    byte[] value = new byte[bytes];
    new Random(bytes).nextBytes(value);
    StoreTurn turn = backend.store(KEY).beginTurn();
    turn.put(NAME, value);
    turn.seal();
  }

  private static int length(SqliteBackend backend) {
    StoreTurn turn = backend.store(KEY).beginTurn();
    byte[] found = turn.get(NAME);
    turn.discard();
    return found == null ? 0 : found.length;
  }

  @Test
  void turnIsRefusedAndNothingIsAppended() {
    InMemoryJournal records = new InMemoryJournal();
    Journal journal =
        new ForwardingJournal(records) {
          @Override
          public int payloadBytesMax() {
            return 1 << 20;
          }
        };
    try (StorageThreads threads = new StorageThreads(2);
        SqliteBackend backend =
            new SqliteBackend(
                journal,
                threads,
                new VirtualClock(),
                new FileDisk(),
                new SqliteOptions(directory, 2))) {
      backend.recover(records);
      put(backend, 100);
      long position = records.lastPosition();

      assertThatThrownBy(() -> put(backend, 2 << 20))
          .isInstanceOf(CommitRefusedException.class)
          .hasMessageContaining("a batch of 1 MiB");

      assertThat(records.lastPosition()).isEqualTo(position);
      assertThat(length(backend)).isEqualTo(100);
      put(backend, 200);
      assertThat(length(backend)).isEqualTo(200);
      records.makeAllDurable();
    }
  }
}
