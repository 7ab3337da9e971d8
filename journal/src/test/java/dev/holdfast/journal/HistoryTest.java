package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.FaultyDisk.Operation;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The history that the journal keeps, and how records are found in it. */
class HistoryTest {

  private static final Duration WINDOW = Duration.ofDays(30);
  private static final byte[] FILLER = new byte[3_000];

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private final Floor view = new Floor();

  private FileJournal open(HistoryOptions history) {
    FileJournal journal = FileJournal.open(directory, clock, Journals.SMALL.withHistory(history));
    journal.start(List.of(view));
    return journal;
  }

  private FileJournal open() {
    return open(new HistoryOptions(WINDOW.toMillis(), Long.MAX_VALUE));
  }

  private static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putInt(number);
    return new ObjectKey("things", ObjectId.of(id, null));
  }

  private static long write(FileJournal journal, int number, String text) {
    ByteBuffer payload = ByteBuffer.allocate(text.length() + FILLER.length);
    payload.put(text.getBytes(StandardCharsets.US_ASCII)).put(FILLER).flip();
    long position = journal.append(RecordKind.BATCH, 1, object(number), ChainLink.FIRST, payload);
    journal.awaitDurable(position);
    return position;
  }

  private static List<String> past(FileJournal journal, int number, long from) {
    List<String> texts = new ArrayList<>();
    try (HistoryCursor cursor = journal.history().newestFirst(object(number), from)) {
      while (cursor.next()) {
        assertThat(cursor.read().position()).isEqualTo(cursor.position());
        byte[] text = new byte[4];
        cursor.read().payload().get(text);
        texts.add(cursor.position() + ":" + new String(text, StandardCharsets.US_ASCII));
      }
    } catch (NoSuchElementException e) {
      // Dropped meanwhile, and so are all records before it.
    }
    return texts;
  }

  @Test
  void historySurvivesAClockThatIsAheadForAMoment() {
    try (FileJournal journal = open()) {
      writeMany(journal, 60);
      Instant right = clock.now();
      clock.setWallClock(right.plus(Duration.ofDays(3_650)));
      writeMany(journal, 20); // each new segment triggers a review of the old ones
      clock.setWallClock(right);
      writeMany(journal, 20);
    }
    try (FileJournal journal = open()) {
      assertThat(journal.history().oldestPosition()).isOne();
    }
  }

  /** Each review follows a new segment; the last one has seen all but the newest. */
  @Test
  void capThatIsShortIsReportedADayAhead() {
    long bytesMax = 22 * Journals.SMALL.segmentBytes();
    try (FileJournal journal = open(new HistoryOptions(WINDOW.toMillis(), bytesMax))) {
      writeMany(journal, 3); // in the first minute, which says nothing
      Journals.awaitReviews(journal);
      assertThat(journal.troubles()).isEmpty();
      clock.advance(Duration.ofDays(5));
      writeMany(journal, 3);
      Journals.awaitReviews(journal);
      assertThat(journal.troubles()).isEmpty();
      clock.advance(Duration.ofHours(6));
      writeMany(journal, 45); // three records fill a segment
      Journals.awaitReviews(journal);
      assertThat(journal.troubles())
          .singleElement()
          .satisfies(
              reason -> {
                assertThat(reason.code()).isEqualTo("history-short");
                assertThat(reason.text()).contains("at most " + bytesMax + " bytes");
              });
      assertThat(journal.history().oldestPosition()).as("nothing is dropped yet").isOne();
      clock.advance(Duration.ofDays(3));
      writeMany(journal, 3);
      Journals.awaitReviews(journal);
      assertThat(journal.troubles()).isEmpty();
    }
  }

  @Test
  void clockThatStaysAheadIsBelieved() {
    Instant before = clock.now();
    try (FileJournal journal = open()) {
      writeMany(journal, 60);
      Journals.awaitReviews(journal);
      clock.setWallClock(before.plus(WINDOW).plus(WINDOW));
      writeMany(journal, 20);
      Journals.awaitReviews(journal); // it was seen to be ahead
      clock.advance(Duration.ofHours(2));
      writeMany(journal, 20);
      Journals.awaitReviews(journal);
    }
    clock.setWallClock(before); // so that the opening finds no segment too old
    try (FileJournal journal = open()) {
      assertThat(journal.history().oldestPosition()).isGreaterThan(50);
    }
  }

  private static void writeMany(FileJournal journal, int count) {
    for (int i = 0; i < count; i++) {
      write(journal, 1, "many");
    }
  }

  private List<Path> files(String ending) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> file.toString().endsWith(ending)).sorted().toList();
    }
  }

  @Test
  void recordsOfOneObjectAreFoundNewestFirstAcrossSegmentsAndRestarts() throws IOException {
    List<String> expected = new ArrayList<>();
    try (FileJournal journal = open()) {
      for (int i = 0; i < 40; i++) {
        long position = write(journal, i % 3, String.format("%04d", i));
        if (i % 3 == 1) {
          expected.addFirst(position + ":" + String.format("%04d", i));
        }
      }
      assertThat(past(journal, 1, Long.MAX_VALUE)).isEqualTo(expected);
      assertThat(past(journal, 1, 20)).isEqualTo(expected.subList(6, expected.size()));
      assertThat(past(journal, 7, Long.MAX_VALUE)).isEmpty();
    }
    try (FileJournal journal = open()) {
      assertThat(past(journal, 1, Long.MAX_VALUE)).isEqualTo(expected);
    }
  }

  @Test
  void recordsLargerThanTheWindowOfAReaderAreReadBetweenSmallOnes() {
    try (FileJournal journal = open()) {
      List<ByteBuffer> payloads = new ArrayList<>();
      for (int bytes : new int[] {10, 1 << 20, 20, 3 << 20, (1 << 20) + 1, 30, 2_500_000}) {
        byte[] payload = new byte[bytes];
        new Random(bytes).nextBytes(payload);
        payloads.addFirst(ByteBuffer.wrap(payload));
        journal.append(RecordKind.BATCH, 1, object(1), ChainLink.FIRST, ByteBuffer.wrap(payload));
      }
      journal.awaitDurable(journal.lastPosition());

      List<ByteBuffer> read = new ArrayList<>();
      try (HistoryCursor cursor = journal.history().newestFirst(object(1), Long.MAX_VALUE)) {
        while (cursor.next()) {
          ByteBuffer payload = cursor.read().payload();
          read.add(ByteBuffer.allocate(payload.remaining()).put(payload).flip());
        }
      }

      assertThat(read).isEqualTo(payloads);
    }
  }

  @Test
  void indexFilesThatAreMissingOrDamagedAreMadeAgain() throws IOException {
    List<String> expected;
    try (FileJournal journal = open()) {
      for (int i = 0; i < 40; i++) {
        write(journal, i % 3, String.format("%04d", i));
      }
      expected = past(journal, 1, Long.MAX_VALUE);
    }
    List<Path> indexes = files(".index");
    assertThat(indexes).hasSizeGreaterThan(3);
    Files.delete(indexes.get(0));
    byte[] damaged = Files.readAllBytes(indexes.get(1));
    damaged[damaged.length - 1] ^= 1;
    Files.write(indexes.get(1), damaged);
    Files.write(indexes.get(2), new byte[10]);
    try (FileJournal journal = open()) {
      assertThat(past(journal, 1, Long.MAX_VALUE)).isEqualTo(expected);
    }
  }

  @Test
  void positionOfATimeIsTheLastRecordAtOrBeforeIt() {
    try (FileJournal journal = open()) {
      Instant start = clock.now();
      for (int i = 0; i < 30; i++) {
        write(journal, 0, String.format("%04d", i));
        clock.advance(Duration.ofSeconds(10));
      }
      for (int i = 0; i < 30; i++) {
        long millis = start.plusSeconds(10L * i).toEpochMilli();
        assertThat(journal.history().positionAt(millis)).isEqualTo(i + 1);
        assertThat(journal.history().positionAt(millis - 1)).isEqualTo(i);
        assertThat(journal.history().positionAt(millis + 9_999)).isEqualTo(i + 1);
      }
    }
  }

  @Test
  void statesStayInOrderWhenTheClockGoesBack() {
    Instant start = clock.now();
    try (FileJournal journal = open()) {
      write(journal, 0, "0001");
      clock.setWallClock(start.minusSeconds(1_000));
      write(journal, 0, "0002");
    }
    try (FileJournal journal = open()) {
      write(journal, 0, "0003");
      clock.setWallClock(start.plusSeconds(1_000));
      write(journal, 0, "0004");
      assertThat(journal.history().positionAt(start.toEpochMilli())).isEqualTo(3);
      assertThat(journal.history().positionAt(start.toEpochMilli() - 1)).isZero();
    }
  }

  @Test
  void segmentsGoWhenAllOfTheirRecordsAreOlderThanTheWindow() throws IOException {
    try (FileJournal journal = open()) {
      for (int i = 0; i < 40; i++) {
        write(journal, 0, String.format("%04d", i));
      }
      assertThat(journal.history().oldestPosition()).isEqualTo(1);
      Journals.awaitReviews(journal);
      clock.advance(WINDOW.plusMillis(1));
      writeUntil(journal, () -> journal.history().oldestPosition() > 30);
      String oldest = past(journal, 0, Long.MAX_VALUE).getLast();
      assertThat(Long.parseLong(oldest.substring(0, oldest.indexOf(':')))).isGreaterThan(30);
      assertThat(files(".index").size()).isLessThanOrEqualTo(files(".log").size());
    }
  }

  @Test
  void recordThatIsDroppedWhileACursorIsThereIsSaidToBeGone() {
    try (FileJournal journal = open()) {
      for (int i = 0; i < 20; i++) {
        write(journal, 0, String.format("%04d", i));
      }
      try (HistoryCursor cursor = journal.history().newestFirst(object(0), 2)) {
        assertThat(cursor.next()).isTrue();
        Journals.awaitReviews(journal);
        clock.advance(WINDOW.plusMillis(1));
        writeUntil(journal, () -> journal.history().oldestPosition() > 10);

        assertThatThrownBy(cursor::read)
            .isInstanceOf(NoSuchElementException.class)
            .hasMessageContaining("record 2");
      }
    }
  }

  @Test
  void segmentsGoByTheClockThoughNobodyWrites() throws IOException {
    try (FileJournal journal = open()) {
      for (int i = 0; i < 40; i++) {
        write(journal, 0, String.format("%04d", i));
      }
    }
    int segments = files(".log").size();
    try (FileJournal idle = open()) {
      Journals.awaitReviews(idle);
      assertThat(idle.history().oldestPosition()).isEqualTo(1);

      passDays(idle, WINDOW.toDays() + 1);
    }
    assertThat(segments).isGreaterThan(5);
    assertThat(files(".log")).hasSize(1);
  }

  @Test
  void segmentsGoByTheClockThoughALookHasFailed() throws IOException {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (FileJournal journal = open()) {
      for (int i = 0; i < 40; i++) {
        write(journal, 0, String.format("%04d", i));
      }
    }
    JournalOptions options =
        Journals.SMALL
            .withDisk(disk)
            .withHistory(new HistoryOptions(WINDOW.toMillis(), Long.MAX_VALUE));
    try (FileJournal idle = FileJournal.open(directory, clock, options)) {
      idle.start(List.of(view));
      Journals.awaitReviews(idle);
      disk.fail(Operation.FORCE_DIRECTORY, 1);
      passDays(idle, WINDOW.toDays() + 3);

      assertThat(files(".log")).hasSize(1);
    }
  }

  @Test
  void bytesAreThoseOfAllFilesOfTheJournal() throws IOException {
    try (FileJournal journal = open()) {
      for (int i = 0; i < 40; i++) {
        write(journal, 0, String.format("%04d", i));
      }
      past(journal, 0, Long.MAX_VALUE);
    }
    FileJournal journal = open();
    journal.close(); // its threads no longer create files
    long bytes = 0;
    try (Stream<Path> all = Files.list(directory)) {
      for (Path file : all.toList()) {
        bytes += Files.size(file);
      }
    }
    assertThat(files(".index")).isNotEmpty();
    assertThat(files(".spare")).isNotEmpty();
    assertThat(journal.history().bytes()).isEqualTo(bytes);
  }

  @Test
  void capLetsTheOldestSegmentsGoFirst() throws IOException {
    try (FileJournal journal = open(new HistoryOptions(WINDOW.toMillis(), 5 * 16_384))) {
      writeUntil(journal, () -> journal.history().oldestPosition() > 10);
      assertThat(files(".log").size()).isLessThanOrEqualTo(7);
    }
  }

  @Test
  void whatARestoreNeedsStaysBeyondWindowAndCap() {
    view.floor = 3;
    try (FileJournal journal = open(new HistoryOptions(WINDOW.toMillis(), 16_384))) {
      for (int i = 0; i < 40; i++) {
        write(journal, 0, String.format("%04d", i));
      }
      Journals.awaitReviews(journal);
      clock.advance(WINDOW.plusMillis(1));
      for (int i = 40; i < 80; i++) {
        write(journal, 0, String.format("%04d", i));
      }
      assertThat(journal.history().oldestPosition()).isLessThanOrEqualTo(3);
      view.floor = Long.MAX_VALUE;
      writeUntil(journal, () -> journal.history().oldestPosition() > 30);
    }
  }

  @Test
  void withoutHistorySegmentsAreUsedAgain() {
    try (FileJournal journal = open(HistoryOptions.NONE)) {
      writeUntil(journal, () -> journal.history().oldestPosition() > 30);
    }
  }

  /** Reviews run on a thread of the journal; each new segment triggers one. */
  private static void writeUntil(
      FileJournal journal, java.util.function.BooleanSupplier condition) {
    for (int i = 0; i < 2_000 && !condition.getAsBoolean(); i++) {
      write(journal, 0, String.format("%04d", i));
      Journals.awaitReviews(journal);
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  /** A review that falls due has run, and has scheduled the next one, before the clock advances. */
  private void passDays(FileJournal journal, long days) {
    for (int i = 0; i < days; i++) {
      clock.advance(Duration.ofDays(1));
      Journals.awaitReviews(journal);
    }
  }

  /** A view that needs nothing after a crash. */
  static final class Floor implements JournalView {
    volatile long floor = Long.MAX_VALUE;

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      return Long.MAX_VALUE;
    }

    @Override
    public void checkpointBefore(long position) {}

    @Override
    public long historyFloor() {
      return floor;
    }
  }
}
