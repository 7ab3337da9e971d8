package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.file.RocksDbBounds;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.testkit.InMemoryJournal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A database that has less than the journal may have dropped is never used, whatever lies beside
 * it. Where the journal still has what is missing, it is taken from there.
 */
final class OlderDatabaseTest {

  @TempDir private Path parent;

  private final StorageThreads threads = new StorageThreads(1);
  private BoundDatabase database;

  @BeforeEach
  void make() {
    database = new BoundDatabase(parent, threads);
  }

  @AfterEach
  void close() {
    threads.close();
  }

  /** A database and its mark, copied. */
  private record Copy(Map<String, byte[]> files, byte[] mark) {}

  private Copy copy() throws IOException {
    return new Copy(Directory.read(database.directory()), Files.readAllBytes(database.mark()));
  }

  private void putBack(Copy copy) throws IOException {
    Directory.write(database.directory(), copy.files());
    Files.write(database.mark(), copy.mark());
  }

  private AbstractThrowableAssert<?, ?> assertRefused() {
    return assertThatThrownBy(() -> database.put("later"))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(database.parent.toString());
  }

  @Test
  void olderDatabaseWithItsMarkIsRefused() throws IOException {
    database.put("first");
    Copy older = copy();
    database.put("second");
    database.dropRecords();
    putBack(older);

    assertRefused()
        .hasMessageContaining("older copy")
        .hasMessageContaining("Restore the whole data directory");
    assertThat(database.mark()).hasBinaryContent(older.mark());
  }

  @Test
  void olderDatabaseWithoutItsMarkIsRefused() throws IOException {
    database.put("first");
    Copy older = copy();
    database.put("second");
    database.dropRecords();
    putBack(older);
    Files.delete(database.mark());

    assertRefused().hasMessageContaining("older copy");
    assertThat(database.mark()).doesNotExist();
  }

  @Test
  void olderDatabaseFromBeforeTheFirstRecordIsRefused() throws IOException {
    database.with(_ -> {});
    Map<String, byte[]> older = Directory.read(database.directory());
    database.put("first");
    database.with(
        backend -> {
          database.dropRecords(backend);
          BoundDatabase.put(backend, "second");
        });
    Files.delete(database.mark());
    Directory.write(database.directory(), older);

    assertRefused();
  }

  @Test
  void olderDatabaseIsBroughtUpToDateFromAJournalThatHasAllOfIt() throws IOException {
    database.put("first");
    Copy older = copy();
    database.put("second");
    putBack(older);

    assertThat(database.has("second")).isTrue();
    assertThat(database.has("first")).isTrue();
  }

  @Test
  void removedDatabaseIsMadeAgainFromAJournalThatHasAllOfIt() {
    database.put("first", "second");
    Directory.delete(database.directory());

    assertThat(database.has("first")).isTrue();
    assertThat(database.has("second")).isTrue();
  }

  @Test
  void removedDatabaseIsRefusedBeforeAnEmptyOneIsMade() {
    database.put("first");
    database.dropRecords();
    Directory.delete(database.directory());

    assertRefused().hasMessageContaining("removed");
    assertThat(database.directory().resolve("CURRENT")).doesNotExist();
  }

  @Test
  void removedDatabaseWithoutItsMarkIsRefusedIfTheJournalKnowsOfIt() throws IOException {
    database.put("first");
    database.with(
        backend -> {
          database.dropRecords(backend);
          BoundDatabase.put(backend, "second");
        });
    Directory.delete(database.directory());
    Files.delete(database.mark());

    assertRefused().hasMessageContaining("removed");
  }

  @Test
  void missingMarkIsWrittenAgainIfTheDatabaseLacksNothing() throws IOException {
    database.put("first");
    database.dropRecords();
    byte[] mark = Files.readAllBytes(database.mark());
    Files.delete(database.mark());

    assertThat(database.has("first")).isTrue();
    assertThat(database.mark()).hasBinaryContent(mark);
  }

  @Test
  void databaseOfAnotherJournalIsRefused() throws IOException {
    Path otherParent = Files.createDirectory(parent.resolve("other"));
    BoundDatabase other = new BoundDatabase(otherParent, threads);
    other.put("1", "2", "3", "4");
    database.put("a", "b", "c", "d", "e", "f");
    byte[] mark = Files.readAllBytes(database.mark());
    Directory.write(database.directory(), Directory.read(other.directory()));

    assertRefused().hasMessageContaining("belongs to another data directory");
    assertThat(database.mark()).hasBinaryContent(mark);

    Files.copy(other.mark(), database.mark(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertRefused().hasMessageContaining("belongs to another data directory");
  }

  @Test
  void markOfAnotherJournalIsRefused() throws IOException {
    Path otherParent = Files.createDirectory(parent.resolve("other"));
    BoundDatabase other = new BoundDatabase(otherParent, threads);
    other.put("1");
    database.put("a", "b");
    Files.copy(other.mark(), database.mark(), java.nio.file.StandardCopyOption.REPLACE_EXISTING);

    assertRefused().hasMessageContaining("belongs to another data directory");
  }

  @Test
  void damagedMarkIsRefused() throws IOException {
    database.put("first");
    byte[] mark = Files.readAllBytes(database.mark());
    for (int length : new int[] {0, 1, mark.length - 1}) {
      Files.write(database.mark(), Arrays.copyOf(mark, length));
      assertRefused().hasMessageContaining("damaged");
    }
    for (int at = 0; at < mark.length; at++) {
      byte[] flipped = mark.clone();
      flipped[at] ^= 4;
      Files.write(database.mark(), flipped);
      assertRefused().hasMessageContaining("damaged");
    }
  }

  /** What earlier versions wrote: a position and its checksum. */
  private void writeOldMark(long position) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(12).putLong(position);
    java.util.zip.CRC32C sum = new java.util.zip.CRC32C();
    sum.update(bytes.array(), 0, 8);
    Files.write(database.mark(), bytes.putInt((int) sum.getValue()).array());
  }

  @Test
  void directoryOfAnEarlierVersionIsOpenedAndGetsTheNewMark() throws IOException {
    database.put("first");
    long applied = database.journal.lastPosition();
    for (int i = 0; i < 9; i++) {
      appendOfAnotherView();
    }
    database.journal.trimBefore(applied + 5); // an earlier version lets the journal go so far
    writeOldMark(applied);

    assertThat(database.has("first")).isTrue();
    assertThat(Files.size(database.mark())).isEqualTo(20);
    assertThat(database.has("first")).isTrue();
  }

  @Test
  void databaseThatIsGivenUpBeginsEmptyAndStaysSo() throws IOException {
    database.put("first", "second");
    database.dropRecords();
    database.put("third");
    Directory.delete(database.directory());
    Files.writeString(database.mark(), "give up\n");

    assertThat(database.has("third")).isFalse();
    database.put("fourth");
    assertThat(database.has("first")).isFalse();
    assertThat(database.has("fourth")).isTrue();
  }

  @Test
  void databaseThatIsThereIsNotGivenUp() throws IOException {
    database.put("first");
    Files.writeString(database.mark(), "give up");

    assertRefused().hasMessageContaining("Remove the directory");
  }

  private void appendOfAnotherView() {
    database.journal.append(
        RecordKind.BATCH,
        1,
        new ObjectKey("other", ObjectId.of(new byte[32], null)),
        ChainLink.FIRST,
        ByteBuffer.allocate(1));
  }

  /**
   * Otherwise a database that has less than the mark could not be distinguished from an older one.
   */
  @Test
  void journalNeverForgetsMoreThanTheDatabaseSaysItHas() throws IOException {
    database.with(
        backend -> {
          BoundDatabase.put(backend, "first");
          for (int i = 0; i < 9; i++) {
            appendOfAnotherView();
          }
          backend.applier().settle();
          assertThat(backend.lowWaterMark()).isEqualTo(1);
          backend.checkpointBefore(11);
          backend.applier().settle();
          assertThat(backend.lowWaterMark()).isEqualTo(11);
        });
    assertThat(ByteBuffer.wrap(Files.readAllBytes(database.mark())).getLong()).isEqualTo(10);
  }

  @Test
  void idleDatabaseHoldsBackFewRecordsOfOthers() {
    database.with(
        backend -> {
          BoundDatabase.put(backend, "first");
          backend.applier().applyDurable();
          backend.checkpointBefore(Long.MAX_VALUE);
          backend.applier().settle();
          for (int i = 0; i < 5_000; i++) {
            appendOfAnotherView();
          }
          assertThat(backend.lowWaterMark()).isGreaterThanOrEqualTo(2); // a run may be under way
          backend.applier().settle();
          // A run that was under way may have flushed before the last records came.
          assertThat(backend.lowWaterMark())
              .isGreaterThanOrEqualTo(5_002 - RocksDbBounds.PASSED_RECORDS_MAX);
        });
  }

  @Test
  void journalThatWasReplacedIsRefused() {
    database.put("first");
    database.journal = new InMemoryJournal(InMemoryJournal.Durability.ON_APPEND);

    assertRefused().hasMessageContaining("belongs to another data directory");
  }
}
