package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much of a journal is read when it is opened, in bytes requested from its disk. */
final class OpeningReadsTest {

  private static final int SEGMENT_BYTES = 4 << 20;

  private static final JournalOptions OPTIONS =
      JournalOptions.DEFAULT
          .withSegmentBytes(SEGMENT_BYTES)
          .withHistory(new HistoryOptions(1_000_000_000, Long.MAX_VALUE));

  @TempDir Path data;

  private final AtomicLong readBytes = new AtomicLong();
  private final AtomicLong needed = new AtomicLong(Long.MAX_VALUE);

  private final JournalView view =
      new JournalView() {
        @Override
        public int viewId() {
          return 1;
        }

        @Override
        public void recover(RecoveryLog log) {}

        @Override
        public long lowWaterMark() {
          return needed.get();
        }

        @Override
        public void checkpointBefore(long position) {}
      };

  /** Opens, and reads as often as the views do; then closes or is killed. */
  private void run(Disk disk, int records, boolean closed) {
    DirectoryLock lock = DirectoryLock.acquire(data, disk);
    FileJournal journal = FileJournal.open(lock, new VirtualClock(), OPTIONS.withDisk(disk));
    for (int view = 0; view < 6; view++) {
      journal.recoveryLog().forEach(_ -> {});
    }
    journal.start(List.of(view));
    for (int i = 0; i < records; i++) {
      Journals.append(journal, new byte[64 << 10]);
      if (i % 10 == 9) {
        journal.awaitDurable(journal.lastPosition());
        Journals.awaitReviews(journal); // so that the mark follows
      }
    }
    journal.awaitDurable(journal.lastPosition());
    Journals.awaitReviews(journal);
    if (closed) {
      journal.close();
    } else {
      // The next reader of the directory finds it as a killed process left it.
      killed = journal;
    }
    lock.close();
  }

  private FileJournal killed;

  private long readByOpening() {
    readBytes.set(0);
    run(new Counting(), 0, true);
    return readBytes.get();
  }

  @Test
  void journalThatWasClosedIsNotReadWhateverItHolds() {
    run(new FileDisk(), 300, true); // 19 MB
    assertThat(readByOpening()).isLessThan(100_000);
    assertThat(readByOpening()).as("again").isLessThan(100_000);
  }

  /** The catalog of SQLite needs its last mark permanently. */
  @Test
  void journalWhoseLastRecordIsNeededIsNotReadBeforeThat() {
    needed.set(300);
    run(new FileDisk(), 300, true);
    assertThat(readByOpening()).isLessThan(6L * (2 << 20));
    needed.set(301);
    run(new FileDisk(), 1, true);
    for (int opening = 0; opening < 3; opening++) {
      assertThat(readByOpening()).as("opening %d", opening).isLessThan(1_500_000);
    }
  }

  @Test
  void viewThatRewritesItsRecordsLeavesLittleToRead() {
    needed.set(5);
    run(new FileDisk(), 300, true);
    assertThat(readByOpening()).as("the view needs nearly all").isGreaterThan(10_000_000);
    needed.set(Long.MAX_VALUE);
    run(new FileDisk(), 1, true);
    assertThat(readByOpening()).isLessThan(200_000);
  }

  /** Views may read their records any number of times. */
  @Test
  void tailOfAKilledJournalIsReadOnce() {
    needed.set(100);
    run(new FileDisk(), 300, false); // in segments of 4 MiB
    FileJournal left = killed;
    long tail = 201L * (64 << 10);
    assertThat(readByOpening()).isBetween(tail, tail * 12 / 10 + 2 * SEGMENT_BYTES);
    left.close();
  }

  /** Batches that exceed the bound are read again; checkpoints stay in memory. */
  @Test
  void whatTakesLittleIsReadOnceThoughTheTailExceedsTheBound() {
    DirectoryLock first = DirectoryLock.acquire(data, new FileDisk());
    FileJournal left = FileJournal.open(first, new VirtualClock(), OPTIONS);
    for (int i = 0; i < 100; i++) {
      Journals.append(left, new byte[64 << 10]);
      left.append(RecordKind.CHECKPOINT, 1, Journals.KEY, ByteBuffer.allocate(8));
    }
    left.awaitDurable(left.lastPosition());
    first.close();

    Disk disk = new Counting();
    DirectoryLock lock = DirectoryLock.acquire(data, disk);
    readBytes.set(0);
    try (FileJournal journal =
        FileJournal.open(
            lock, new VirtualClock(), OPTIONS.withDisk(disk).withRecoveryBytesMax(1 << 20))) {
      RecoveryLog log = journal.recoveryLog();
      long scanned = readBytes.get();
      List<Long> checkpoints = new ArrayList<>();
      log.forEach((_, kind) -> !kind.isBatch(), each -> checkpoints.add(each.position()));
      assertThat(checkpoints).hasSize(100).isSorted().startsWith(2L);
      assertThat(readBytes.get()).isEqualTo(scanned);
      List<Long> all = new ArrayList<>();
      log.forEach(each -> all.add(each.position()));
      assertThat(all).hasSize(200).isSorted().startsWith(1L);
      assertThat(readBytes.get() - scanned).isBetween(6_000_000L, 8_000_000L);
    }
    lock.close();
    left.close();
  }

  /**
   * The newest segment is searched for its end; records that no view needs are not read for the
   * views.
   */
  @Test
  void killedJournalIsReadOnceAndItsTailForTheViews() {
    run(new FileDisk(), 300, false);
    long all = readByOpening();
    killed.close();
    assertThat(all).isLessThan(2 * SEGMENT_BYTES + 6L * (2 << 20));
  }

  private final class Counting extends ForwardingDisk {

    Counting() {
      super(new FileDisk());
    }

    @Override
    protected int read(
        Path path, DiskFile file, byte[] target, int targetOffset, int lengthBytes, long offset)
        throws IOException {
      int count = super.read(path, file, target, targetOffset, lengthBytes, offset);
      readBytes.addAndGet(count);
      return count;
    }
  }
}
