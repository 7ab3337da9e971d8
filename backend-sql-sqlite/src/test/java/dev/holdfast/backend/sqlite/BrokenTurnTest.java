package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors of the virtual machine at the moment when a batch gets its position. */
final class BrokenTurnTest {

  @TempDir private Path root;

  @Test
  void batchThatMayBeInTheJournalIsNeitherRevertedNorRead() {
    try (SqliteHost host = brokenHost()) {
      // The journal has it, and may make it durable: 1 would be wrong, and 2 would be early.
      ObjectStore store = host.store(1);
      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(store::beginTurn)
          .withMessageContaining("open it again");
      host.journal.makeAllDurable();
      host.backend.checkpointBefore(Long.MAX_VALUE);
      host.backend.awaitIdle();
      assertThat(host.backend.lowWaterMark()).isEqualTo(1);
      assertThat(get(host.store(2), "a")).isNull();

      host.crashAt(2);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("2"));
    }
  }

  @Test
  void batchThatDidNotBecomeDurableAfterAllIsGone() {
    try (SqliteHost host = brokenHost()) {
      host.crashAt(1);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  /**
   * The file is not rewritten then, and shows a state that the journal may already have replaced.
   */
  @Test
  void objectWhoseRestoreMayBeInTheJournalIsNotUsed() {
    try (SqliteHost host = new SqliteHost(root, 2, new FileDisk(), Durability.MANUAL)) {
      ObjectStore store = host.store(1);
      commit(store, turn -> turn.put(bytes("a"), bytes("1")));
      commit(store, turn -> turn.put(bytes("a"), bytes("2")));
      host.journal.makeAllDurable();
      JournalRecord second = host.journal.records().getLast();
      host.journal.breakAfterNextAppend(new OutOfMemoryError("injected"));
      assertThatExceptionOfType(OutOfMemoryError.class)
          .isThrownBy(() -> store.restore((_, visitor) -> visitor.visit(second)));

      assertThatExceptionOfType(StorageFailedException.class)
          .isThrownBy(store::beginTurn)
          .withMessageContaining("open it again");
      host.crashAt(3);
      assertThat(get(host.store(1), "a")).isEqualTo(bytes("1"));
    }
  }

  private SqliteHost brokenHost() {
    SqliteHost host = new SqliteHost(root, 2, new FileDisk(), Durability.MANUAL);
    ObjectStore store = host.store(1);
    commit(store, turn -> turn.put(bytes("a"), bytes("1")));
    StoreTurn turn = store.beginTurn();
    turn.put(bytes("a"), bytes("2"));
    host.journal.breakAfterNextAppend(new OutOfMemoryError("injected"));
    assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(turn::seal);
    return host;
  }
}
