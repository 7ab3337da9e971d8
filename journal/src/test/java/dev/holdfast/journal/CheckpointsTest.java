package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which segments stay and which are removed. */
final class CheckpointsTest {

  private static final JournalOptions OPTIONS =
      Journals.SMALL.withSegmentBytes(16384).withHeldSegmentsMax(3);

  @TempDir Path directory;

  private final HeldBack view = new HeldBack(1);

  @Test
  void segmentsThatAViewNeedsStay() {
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      journal.start(List.of(view));
      writeSegments(journal, 10);
      assertThat(segmentCount()).isGreaterThanOrEqualTo(10);
    }
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      assertThat(Journals.recovered(journal)).hasSize((int) journal.lastPosition());
    }
  }

  @Test
  void viewThatHoldsBackTooManyIsAskedForACheckpoint() throws InterruptedException {
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      journal.start(List.of(view));
      writeSegments(journal, 6);
      assertThat(view.asked.take()).isBetween(2L, journal.lastPosition());
    }
  }

  @Test
  void segmentsThatNoViewNeedsGo() {
    HeldBack other = new HeldBack(2);
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      journal.start(List.of(view, other));
      writeSegments(journal, 6);
      view.needed.set(Long.MAX_VALUE);
      other.needed.set(journal.lastPosition() - 2);
      writeUntilOldestIsGone(journal);
    }
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      long[] first = {0};
      journal
          .recoveryLog()
          .forEach(record -> first[0] = first[0] == 0 ? record.position() : first[0]);
      assertThat(first[0]).isEqualTo(other.needed.get());
    }
  }

  @Test
  void oldSegmentsAreRecycledAndTheirRecordsNeverReadAgain() {
    view.needed.set(Long.MAX_VALUE);
    for (int run = 0; run < 5; run++) {
      try (FileJournal journal = Journals.open(directory, OPTIONS)) {
        assertThat(Journals.recovered(journal)).isEmpty();
        journal.start(List.of(view));
        for (int i = 0; i < 7; i++) {
          writeSegments(journal, 1);
          Journals.awaitReviews(journal);
        }
      }
    }
    assertThat(Directories.list(directory)).hasSizeLessThan(12);
  }

  /** The newest segment, and a spare for the next one. */
  @Test
  void journalWithoutHistoryIsTwoSegmentsAfterTheClose() {
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      journal.start(List.of(view));
      writeSegments(journal, 12);
      view.needed.set(Long.MAX_VALUE);
    }
    assertThat(segmentCount()).isEqualTo(1);
    assertThat(Directories.list(directory)).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void journalWithoutHistoryIsTwoSegmentsWhenNothingWasWrittenForTenSeconds() throws Exception {
    VirtualClock clock = new VirtualClock();
    try (FileJournal journal = FileJournal.open(directory, clock, OPTIONS)) {
      journal.start(List.of(view));
      writeSegments(journal, 3);
      Journals.awaitReviews(journal);
      view.asked.clear();
      clock.advance(Duration.ofSeconds(11));
      assertThat(view.asked.take()).as("though it holds back few").isGreaterThan(4);
      view.needed.set(Long.MAX_VALUE);
      Journals.awaitReviews(journal);
      clock.advance(Duration.ofSeconds(11));
      while (segmentCount() > 1) {
        Thread.onSpinWait(); // the mark is written, and then followed
      }
      Journals.awaitReviews(journal);
      assertThat(Directories.list(directory)).hasSizeLessThanOrEqualTo(2);
      assertThat(Journals.write(journal, "more")).isEqualTo(13);
    }
  }

  @Test
  void cleanlyClosedJournalHasNothingToRedoForViewsThatNeedNothing() {
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      journal.start(List.of(view));
      Journals.write(journal, "a");
      view.needed.set(Long.MAX_VALUE);
    }
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      assertThat(Journals.recovered(journal)).isEmpty();
      assertThat(journal.lastPosition()).isEqualTo(1);
      assertThat(journal.durablePosition()).isEqualTo(1);
      assertThat(Journals.write(journal, "b")).isEqualTo(2);
    }
  }

  /** Each opening gives the views what they need, including records after they needed nothing. */
  @Test
  void markOfViewsThatNeedNothingHidesNoLaterRecord() {
    for (int opening = 1; opening < 4; opening++) {
      try (FileJournal journal = Journals.open(directory, OPTIONS)) {
        view.needed.set(Long.MAX_VALUE);
        journal.start(List.of(view));
        writeSegments(journal, 2);
        writeUntilOldestIsGone(journal);
      }
      for (String text : List.of("a", "b")) {
        try (FileJournal journal = Journals.open(directory, OPTIONS)) {
          assertThat(Journals.recovered(journal))
              .isEqualTo(text.equals("a") ? List.of() : List.of("a"));
          view.needed.set(journal.lastPosition() + (text.equals("a") ? 1 : 0));
          journal.start(List.of(view));
          Journals.write(journal, text);
        }
      }
      try (FileJournal journal = Journals.open(directory, OPTIONS)) {
        assertThat(Journals.recovered(journal)).containsExactly("a", "b");
      }
    }
  }

  @Test
  void viewThatFailsKeepsItsSegmentsAndTheJournalGoing() {
    view.broken = true;
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      journal.start(List.of(view));
      writeSegments(journal, 3);
      assertThat(journal.failure()).isNull();
    }
    assertThat(Journals.reopened(directory)).isNotEmpty();
  }

  /** For example, the disk is full and has no room for the records that a view rewrites. */
  @Test
  void viewThatCannotRewriteItsRecordsKeepsNoJournalFromClosing() {
    FileJournal journal = Journals.open(directory);
    HeldBack view = new HeldBack(1);
    view.refusal = new DataDirectoryException(directory, "no room", null);
    journal.start(List.of(view));
    Journals.write(journal, "written");
    journal.close();
    assertThatThrownBy(() -> Journals.append(journal, "more"))
        .isInstanceOf(JournalFailedException.class);
    assertThat(Journals.reopened(directory)).containsExactly("written");
  }

  @Test
  void recoveryLogEndsWhereTheJournalEndedWhenItWasOpened() {
    Journals.open(directory, OPTIONS).close();
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      writeSegments(journal, 3);
      assertThat(Journals.recovered(journal)).isEmpty();
    }
    try (FileJournal journal = Journals.open(directory, OPTIONS)) {
      List<String> before = Journals.recovered(journal);
      writeSegments(journal, 3);
      assertThat(Journals.recovered(journal)).isNotEmpty().isEqualTo(before);
    }
  }

  private long segmentCount() {
    return Directories.list(directory, ".log").size();
  }

  /** The mark is first computed, then written, then applied: so it takes some groups. */
  private void writeUntilOldestIsGone(FileJournal journal) {
    for (int i = 0; i < 5000; i++) {
      if (!directory.resolve("0000000000000001.log").toFile().exists()) {
        return;
      }
      Journals.write(journal, "more");
      Journals.awaitReviews(journal);
    }
    throw new AssertionError("The oldest segment is still there");
  }

  private static void writeSegments(FileJournal journal, int count) {
    for (int i = 0; i < count * 4; i++) {
      Journals.write(journal, "z".repeat(3500));
    }
  }

  /** A view that needs the position that the test sets. */
  private static final class HeldBack implements JournalView {
    private final int id;
    final AtomicLong needed = new AtomicLong(1);
    final BlockingQueue<Long> asked = new LinkedBlockingQueue<>();
    volatile boolean broken;
    volatile RuntimeException refusal;

    HeldBack(int id) {
      this.id = id;
    }

    @Override
    public int viewId() {
      return id;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      if (broken) {
        throw new IllegalStateException("a view's own fault");
      }
      return needed.get();
    }

    @Override
    public void checkpointBefore(long position) {
      asked.add(position);
      if (refusal != null) {
        throw refusal;
      }
    }
  }
}
