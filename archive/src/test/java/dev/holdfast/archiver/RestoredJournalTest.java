package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chunks are read from a journal that is in use, and make the journal of another directory. */
class RestoredJournalTest {

  private static final ObjectKey ANNA = new ObjectKey("people", ObjectId.of(new byte[32], null));
  private static final ObjectKey BEN = new ObjectKey("pets", ObjectId.of(new byte[32], null));

  private final VirtualClock clock = new VirtualClock();

  private final Set<ObjectKey> objects = new HashSet<>();

  @TempDir Path directory;

  /** The lock of the directory that was opened last. */
  private @Nullable DirectoryLock lock;

  @AfterEach
  void unlock() {
    if (lock != null) {
      lock.close();
    }
  }

  private FileJournal open(String name) {
    unlock();
    DirectoryLock acquired = DirectoryLock.acquire(directory.resolve(name), new FileDisk());
    lock = acquired;
    return FileJournal.open(
        acquired,
        clock,
        JournalOptions.DEFAULT.withSegmentBytes(16 << 10).withDisk(new FileDisk()));
  }

  /** The last batch of each object. */
  private static final Map<ObjectKey, Long> LAST = new HashMap<>();

  @BeforeEach
  void forget() {
    LAST.clear();
  }

  private static long write(FileJournal journal, RecordKind kind, ObjectKey key, String text) {
    long previous = LAST.getOrDefault(key, Journal.START);
    long position =
        journal.append(
            kind,
            1,
            key,
            kind.isChained() ? ChainLink.after(previous) : null,
            ByteBuffer.wrap(text.getBytes(UTF_8)),
            null);
    if (kind.isBatch()) {
      LAST.put(key, position);
    }
    journal.awaitDurable(position);
    return position;
  }

  /** All that is durable, in chunks of whole groups. */
  private static List<JournalChunk> chunks(FileJournal journal, int bytesMax) throws IOException {
    JournalTail tail = journal.tail();
    List<JournalChunk> chunks = new ArrayList<>();
    JournalChunk chunk = tail.read(1, bytesMax);
    while (chunk != null) {
      chunks.add(chunk);
      chunk = tail.read(chunk.lastPosition() + 1, bytesMax);
    }
    return chunks;
  }

  private void copy(
      List<JournalChunk> chunks, String name, long last, Predicate<ObjectKey> selection)
      throws IOException {
    RestoredJournal.Origin origin = RestoredJournal.Origin.whole(chunks.getFirst().journalId());
    try (RestoredJournal copy =
        new RestoredJournal(
            new FileDisk(), directory.resolve(name), origin, selection, objects, () -> 77)) {
      for (JournalChunk chunk : chunks) {
        copy.add(chunk, last);
      }
      copy.finish();
    }
  }

  private static List<String> records(FileJournal journal) {
    List<String> records = new ArrayList<>();
    journal
        .recoveryLog()
        .forEach(
            record ->
                records.add(
                    record.position()
                        + " "
                        + record.kind()
                        + " "
                        + record.viewId()
                        + " "
                        + record.key().namespace()
                        + " "
                        + UTF_8.decode(record.payload())));
    return records;
  }

  @Test
  void copyHasTheRecordsAtTheirPositionsAndCanBeContinued() throws IOException {
    try (FileJournal journal = open("data")) {
      for (int i = 1; i <= 300; i++) {
        write(journal, RecordKind.BATCH, ANNA, "record " + i + "x".repeat(i));
      }
      List<JournalChunk> chunks = chunks(journal, 4 << 10);
      assertThat(chunks).hasSizeGreaterThan(10);
      copy(chunks, "copy", Long.MAX_VALUE, _ -> true);
    }
    try (FileJournal copy = open("copy")) {
      assertThat(records(copy)).hasSize(300).contains("7 BATCH 1 people record 7xxxxxxx");
      assertThat(write(copy, RecordKind.BATCH, ANNA, "more")).isEqualTo(301);
    }
    try (FileJournal copy = open("copy")) {
      assertThat(records(copy)).hasSize(301).endsWith("301 BATCH 1 people more");
    }
  }

  @Test
  void copyEndsAtAnyRecord() throws IOException {
    List<JournalChunk> chunks;
    try (FileJournal journal = open("data")) {
      for (int i = 1; i <= 10; i++) {
        journal.append(
            RecordKind.BATCH,
            1,
            ANNA,
            ChainLink.after(i - 1),
            ByteBuffer.wrap(new byte[i])); // one group
      }
      journal.awaitDurable(10);
      chunks = chunks(journal, 1 << 20);
    }
    for (int last = 1; last <= 10; last++) {
      copy(chunks, "copy" + last, last, _ -> true);
      try (FileJournal copy = open("copy" + last)) {
        assertThat(copy.lastPosition()).isEqualTo(last);
        assertThat(records(copy)).hasSize(last);
      }
    }
  }

  @Test
  void checkpointsAndUnselectedRecordsBelongToNoView() throws IOException {
    try (FileJournal journal = open("data")) {
      write(journal, RecordKind.BATCH, ANNA, "a");
      write(journal, RecordKind.BATCH, BEN, "b");
      write(journal, RecordKind.CHECKPOINT, ANNA, "saved");
      copy(chunks(journal, 1 << 20), "copy", 3, key -> key.namespace().equals("people"));
    }
    try (FileJournal copy = open("copy")) {
      assertThat(records(copy))
          .containsExactly(
              "1 BATCH 1 people a", "2 CHECKPOINT 254  ", "3 CHECKPOINT 254 people saved");
    }
    assertThat(objects).containsExactly(ANNA);
  }

  @Test
  void copyThatWasNotFinishedIsRefused() throws IOException {
    List<JournalChunk> chunks;
    try (FileJournal journal = open("data")) {
      write(journal, RecordKind.BATCH, ANNA, "a");
      chunks = chunks(journal, 1 << 20);
    }
    RestoredJournal.Origin origin = RestoredJournal.Origin.whole(chunks.getFirst().journalId());
    try (RestoredJournal copy =
        new RestoredJournal(
            new FileDisk(), directory.resolve("copy"), origin, _ -> true, objects, () -> 77)) {
      copy.add(chunks.getFirst(), 1);
    }
    assertThatThrownBy(() -> open("copy"))
        .isInstanceOfAny(JournalCorruptException.class, DataDirectoryException.class);
  }

  /** The clock was ahead, and went back just when another segment was begun. */
  @Test
  void segmentAfterARecordThatIsStampedAheadBeginsWhenItDid() throws IOException {
    List<JournalChunk> chunks;
    Instant begun;
    try (FileJournal journal = open("data")) {
      String large = "x".repeat(12 << 10);
      write(journal, RecordKind.BATCH, ANNA, large);
      clock.setWallClock(clock.now().plus(Duration.ofDays(1_000)));
      write(journal, RecordKind.BATCH, BEN, "ahead");
      clock.setWallClock(clock.now().minus(Duration.ofDays(1_000)));
      clock.advance(Duration.ofMinutes(1));
      begun = clock.now();
      write(journal, RecordKind.BATCH, ANNA, large);
      chunks = chunks(journal, 1 << 20);
      assertThat(chunks).hasSize(2);
    }
    copy(chunks, "copy", 3, _ -> true);
    Path second = directory.resolve("copy/journal/0000000000000003.log");
    assertThat(SegmentHeader.decode(Files.readAllBytes(second)).wallMillis())
        .isEqualTo(begun.toEpochMilli());
  }
}
