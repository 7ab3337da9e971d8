package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal that another runtime has taken, or that refuses the record of a saved object. */
final class TakenDirectoryTest {

  @TempDir private Path root;

  private final StorageThreads threads = new StorageThreads(2);
  private final InMemoryJournal memory = new InMemoryJournal(Durability.ON_WAIT);
  private final Journaling journal = new Journaling(memory);
  private final Warnings warnings = new Warnings();
  private final Logger log = Logger.getLogger("dev.holdfast");
  private SqliteBackend backend;

  @BeforeEach
  void open() {
    backend =
        new SqliteBackend(
            journal, threads, new VirtualClock(), new FileDisk(), new SqliteOptions(root, 4));
    backend.recover(memory);
    log.setUseParentHandlers(false);
    log.addHandler(warnings);
  }

  @AfterEach
  void close() {
    journal.isTaken = false;
    backend.close();
    threads.close();
    log.removeHandler(warnings);
    log.setUseParentHandlers(true);
  }

  private Path file() {
    return new ObjectFiles(new FileDisk(), root).database(object(1));
  }

  @Test
  void turnThatFindsALongLogWritesNothingToTheFileOfAnotherRuntime() throws IOException {
    ObjectStore store = backend.store(object(1));
    commit(store, turn -> turn.put(bytes("a"), new byte[1_000_000]));
    commit(store, turn -> turn.put(bytes("a"), new byte[1_000_001]));
    commit(store, turn -> turn.put(bytes("a"), new byte[1_000_002]));
    commit(store, turn -> turn.put(bytes("a"), new byte[1_000_003]));
    memory.awaitDurable(memory.lastPosition());
    byte[] before = Files.readAllBytes(file());
    journal.isTaken = true;

    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(store::beginTurn);

    assertThat(file()).hasBinaryContent(before);
    journal.isTaken = false;
    store.beginTurn().discard();
    assertThat(Files.size(file())).as("the log was long").isGreaterThan(before.length);
  }

  @Test
  void restoreWritesNothingToTheFileOfAnotherRuntime() throws IOException {
    ObjectStore store = backend.store(object(1));
    commit(store, turn -> turn.put(bytes("a"), bytes("1")));
    LaterBatches none = (_, _) -> {};
    journal.isTaken = true;

    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(() -> store.restore(none));
    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(() -> store.image(none));

    assertThat(file()).doesNotExist();
  }

  @Test
  void saveThatTheJournalRefusesIsReportedAndOthersAreSaved() {
    commit(backend.store(object(1)), turn -> turn.put(bytes("a"), bytes("1")));
    commit(backend.store(object(2)), turn -> turn.put(bytes("a"), bytes("1")));
    journal.refused = object(1);

    backend.checkpointBefore(Long.MAX_VALUE);
    backend.awaitIdle();

    assertThat(warnings.texts)
        .anyMatch(
            text -> text.contains(object(1) + " was not saved") && text.contains("too large"));
    assertThat(memory.records())
        .filteredOn(record -> record.kind() == RecordKind.CHECKPOINT)
        .anyMatch(record -> record.key().equals(object(2)))
        .noneMatch(record -> record.key().equals(object(1)));
    assertThat(backend.lowWaterMark()).isEqualTo(1);
  }

  private static final class Journaling extends ForwardingJournal {
    private volatile boolean isTaken;
    private volatile ObjectKey refused = object(0);

    Journaling(InMemoryJournal journal) {
      super(journal);
    }

    @Override
    public long append(
        RecordKind kind,
        int viewId,
        ObjectKey key,
        @Nullable ChainLink link,
        ByteBuffer payload,
        @Nullable ByteBuffer events) {
      if (kind == RecordKind.CHECKPOINT && key.equals(refused)) {
        throw new IllegalArgumentException("too large");
      }
      return super.append(kind, viewId, key, link, payload, events);
    }

    @Override
    public void requireOwnership() {
      if (isTaken) {
        throw new JournalFailedException("taken over", null);
      }
    }
  }

  private static final class Warnings extends Handler {
    private final List<String> texts = new ArrayList<>();

    @Override
    public synchronized void publish(LogRecord record) {
      if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
        texts.add(record.getMessage() + " " + record.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
