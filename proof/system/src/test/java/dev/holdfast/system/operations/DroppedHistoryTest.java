package dev.holdfast.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** History that only its size removes is reported, and not for each segment. */
final class DroppedHistoryTest {

  private static final int SEGMENT_BYTES = 16_384;
  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private final Logger log = Logger.getLogger("dev.holdfast");
  private final Lines lines = new Lines();

  @BeforeEach
  void listen() {
    log.setUseParentHandlers(false);
    log.addHandler(lines);
  }

  @AfterEach
  void stopListening() {
    log.removeHandler(lines);
    log.setUseParentHandlers(true);
  }

  private FileJournal open(long bytesMax) {
    FileJournal journal =
        FileJournal.open(
            directory,
            clock,
            JournalOptions.DEFAULT
                .withSegmentBytes(SEGMENT_BYTES)
                .withGatherBytesMax(64 << 10)
                .withHistory(new HistoryOptions(Duration.ofDays(30).toMillis(), bytesMax)));
    journal.start(List.of(new NeedsNothing()));
    return journal;
  }

  /** Segments are removed by a thread of the journal, which each new segment wakes. */
  private static void writeUntilDropped(FileJournal journal) {
    long before = journal.history().oldestPosition();
    for (int i = 0; i < 10_000 && journal.history().oldestPosition() == before; i++) {
      journal.awaitDurable(
          journal.append(RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.allocate(3_000)));
    }
    assertThat(journal.history().oldestPosition()).isGreaterThan(before);
  }

  @Test
  void historyBeyondTheCapIsReportedOnceAMinute() {
    try (FileJournal journal = open(4 * SEGMENT_BYTES)) {
      for (int i = 0; i < 5; i++) {
        writeUntilDropped(journal);
      }
    }
    assertThat(lines.texts).hasSize(1);
    assertThat(lines.texts.getFirst())
        .startsWith("WARNING history-dropped: ")
        .contains(directory.toString())
        .contains("at most " + 4 * SEGMENT_BYTES + " bytes");

    clock.advance(Duration.ofMinutes(1));
    try (FileJournal journal = open(4 * SEGMENT_BYTES)) {
      writeUntilDropped(journal);
    }
    assertThat(lines.texts).as("a journal that was opened again").hasSize(2);
  }

  @Test
  void historyThatIsTooOldIsNotReported() {
    try (FileJournal journal = open(Long.MAX_VALUE)) {
      for (int i = 0; i < 40; i++) {
        journal.awaitDurable(
            journal.append(RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.allocate(3_000)));
      }
      clock.advance(Duration.ofDays(31));
      writeUntilDropped(journal);
    }
    assertThat(lines.texts).isEmpty();
  }

  private static final class Lines extends Handler {
    private final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord line) {
      if (line.getMessage().contains(LogEvent.HISTORY_DROPPED.code())) {
        texts.add(line.getLevel() + " " + line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static final class NeedsNothing implements JournalView {
    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog records) {}

    @Override
    public long lowWaterMark() {
      return Long.MAX_VALUE;
    }

    @Override
    public void checkpointBefore(long position) {}

    @Override
    public long historyFloor() {
      return Long.MAX_VALUE;
    }
  }
}
