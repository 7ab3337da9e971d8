package dev.holdfast.journal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalHistory;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events stay with their batch, and a reader finds them from any position on. */
final class EventRecordsTest {

  private static final int TURNS = 40;

  @TempDir Path directory;

  @Test
  void eventsAreDirectlyBeforeTheirBatch() {
    try (FileJournal journal = Journals.open(directory)) {
      long position = emit(journal, 1, 10);
      assertThat(position).isEqualTo(2);
    }
    assertThat(Journals.reopened(directory)).containsExactly("e1", "b1:" + "x".repeat(10));
  }

  /** Batches of all sizes: small ones share groups, large ones are written from their payload. */
  @Test
  void noPowerCutSeparatesEventsFromTheirBatch() throws Exception {
    Path data = Files.createDirectory(directory.resolve("all"));
    PowerLossDisk whole = new PowerLossDisk(data);
    write(data, whole);
    for (long step = 0; step <= whole.steps(); step++) {
      Path cut = Files.createDirectory(directory.resolve("cut-" + step));
      PowerLossDisk disk = new PowerLossDisk(cut);
      disk.cutPowerAfter(step);
      write(cut, disk);
      for (int seed = 0; seed < 2; seed++) {
        Path image = directory.resolve("image-" + step + "-" + seed);
        disk.writeCrashImage(image, seed);
        requirePairs(image, "power cut after step " + step + ", image " + seed);
      }
    }
  }

  private static void write(Path data, Disk disk) {
    try (FileJournal journal = open(data, disk)) {
      for (int turn = 1; turn <= TURNS; turn++) {
        long position = emit(journal, turn, turn % 7 == 0 ? 20_000 : turn * 13);
        if (turn % 5 == 0) {
          journal.awaitDurable(position);
        }
      }
    } catch (RuntimeException e) {
      // The power is off.
      assertThat(disk).isInstanceOf(PowerLossDisk.class);
    }
  }

  private static void requirePairs(Path image, String what) {
    try (FileJournal journal = open(image, new FileDisk())) {
      List<String> read = Journals.recovered(journal);
      assertThat(read.size() % 2).as(what).isZero();
      for (int index = 0; index < read.size(); index += 2) {
        String event = read.get(index);
        assertThat(event).as(what).startsWith("e");
        assertThat(read.get(index + 1)).as(what).startsWith("b" + event.substring(1) + ":");
      }
    }
  }

  @Test
  void readerFindsTheEventsFromEveryPositionOn() {
    try (FileJournal journal = open(directory, new FileDisk())) {
      for (int turn = 1; turn <= TURNS; turn++) {
        emit(journal, turn, turn * 13);
      }
      journal.awaitDurable(journal.lastPosition());
      for (int from = 1; from <= TURNS; from++) {
        List<String> expected = new ArrayList<>();
        for (int turn = from; turn <= TURNS; turn++) {
          expected.add("e" + turn);
        }
        assertThat(read(journal, 2L * from - 1, 500)).isEqualTo(expected);
      }
    }
  }

  @Test
  void readerContinuesWhenMoreIsDurable() {
    try (FileJournal journal = open(directory, new FileDisk())) {
      JournalHistory.Reader reader = journal.history().reader();
      List<String> texts = new ArrayList<>();
      long next = 1;
      for (int turn = 1; turn <= TURNS; turn++) {
        long position = emit(journal, turn, 300);
        assertThat(reader.read(position + 1, 1, EventRecordsTest::isEvents, _ -> {}))
            .isEqualTo(position + 1);
        journal.awaitDurable(position);
        while (next <= position) {
          next =
              reader.read(next, 1, EventRecordsTest::isEvents, record -> texts.add(text(record)));
        }
      }
      assertThat(texts).hasSize(TURNS).startsWith("e1").endsWith("e" + TURNS);
    }
  }

  @Test
  void tooManyEventsAreRefusedAndNothingIsAppended() {
    try (FileJournal journal = Journals.open(directory)) {
      ByteBuffer events = ByteBuffer.allocate(Journal.EVENTS_BYTES_MAX + 1);
      assertThatThrownBy(
              () ->
                  journal.append(
                      RecordKind.BATCH,
                      1,
                      Journals.KEY,
                      ChainLink.FIRST,
                      ByteBuffer.allocate(1),
                      events))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(journal.lastPosition()).isZero();
    }
  }

  @Test
  void closedJournalRefusesBoth() {
    FileJournal journal = Journals.open(directory);
    journal.close();
    assertThatThrownBy(() -> emit(journal, 1, 1)).isInstanceOf(JournalFailedException.class);
    assertThat(Journals.reopened(directory)).isEmpty();
  }

  private static List<String> read(FileJournal journal, long from, int bytesMax) {
    JournalHistory.Reader reader = journal.history().reader();
    List<String> texts = new ArrayList<>();
    long at = from;
    long next = reader.read(at, bytesMax, EventRecordsTest::isEvents, r -> texts.add(text(r)));
    while (next != at) {
      at = next;
      next = reader.read(at, bytesMax, EventRecordsTest::isEvents, r -> texts.add(text(r)));
    }
    return texts;
  }

  private static boolean isEvents(int view, RecordKind kind) {
    return view == Journal.EVENTS_VIEW_ID && kind == RecordKind.CHECKPOINT;
  }

  private static String text(JournalRecord record) {
    return UTF_8.decode(record.payload()).toString();
  }

  private static FileJournal open(Path path, Disk disk) {
    return FileJournal.open(
        path.resolve("journal"),
        new VirtualClock(),
        JournalOptions.DEFAULT
            .withSegmentBytes(12288)
            .withGatherBytesMax(64 << 10)
            .withHistory(new HistoryOptions(Long.MAX_VALUE, Long.MAX_VALUE))
            .withDisk(disk));
  }

  private static long emit(FileJournal journal, int turn, int bytes) {
    return journal.append(
        RecordKind.BATCH,
        1,
        Journals.KEY,
        ChainLink.FIRST,
        ByteBuffer.wrap(("b" + turn + ":" + "x".repeat(bytes)).getBytes(UTF_8)),
        ByteBuffer.wrap(("e" + turn).getBytes(UTF_8)));
  }
}
