package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.journal.file.Uninterruptibly;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.JournalStatistics;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each number of the journal, provoked and seen to move. */
final class JournalStatisticsTest {

  private static final JournalOptions OPTIONS = Journals.SMALL;

  @TempDir Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** Each sync of a segment takes 3 ms. */
  private final class SlowDisk extends ForwardingDisk {
    SlowDisk() {
      super(new FileDisk());
    }

    @Override
    protected void force(Path path, DiskFile file) throws IOException {
      if (path.toString().endsWith(".log")) {
        clock.advance(Duration.ofMillis(3));
      }
      super.force(path, file);
    }
  }

  @Test
  void newJournalHasZeros() {
    try (FileJournal journal = Journals.open(directory)) {
      JournalStatistics statistics = journal.statistics();
      assertThat(statistics.lastPosition()).isZero();
      assertThat(statistics.durablePosition()).isZero();
      assertThat(statistics.groups()).isZero();
      assertThat(statistics.records()).isZero();
      assertThat(statistics.bytes()).isZero();
      assertThat(statistics.waiters()).isZero();
      assertThat(statistics.segments()).isZero();
      assertThat(statistics.lowWaterLag()).isZero();
      assertThat(statistics.historyFrom()).isEqualTo(1);
      assertThat(statistics.historySince()).isNull();
    }
  }

  @Test
  void appendMovesTheLastPositionAndAGroupMovesTheRest() {
    try (FileJournal journal = Journals.open(directory)) {
      Journals.write(journal, "first");
      JournalStatistics before = journal.statistics();

      long last = 0;
      for (int i = 0; i < 3; i++) {
        last = Journals.append(journal, "record");
      }
      JournalStatistics appended = journal.statistics();
      assertThat(appended.lastPosition()).isEqualTo(before.lastPosition() + 3);
      assertThat(appended.durablePosition()).isEqualTo(before.durablePosition());
      assertThat(appended.minus(before).groups()).isZero();

      journal.awaitDurable(last);
      JournalStatistics written = journal.statistics().minus(before);
      assertThat(written.durablePosition()).isEqualTo(before.durablePosition() + 3);
      assertThat(written.groups()).isEqualTo(1);
      assertThat(written.records()).isEqualTo(3);
      assertThat(written.recordsPerGroup().max()).isEqualTo(3);
      assertThat(written.syncNanos().count()).isEqualTo(1);
    }
  }

  @Test
  void bytesAreThoseOfTheGroupsInTheSegment() throws IOException {
    try (FileJournal journal = Journals.open(directory)) {
      Journals.write(journal, "first");
      long before = journal.statistics().bytes();
      Journals.write(journal, "first");

      assertThat(journal.statistics().bytes()).isEqualTo(2 * before);
      byte[] segment;
      try (Stream<Path> files = Files.list(directory)) {
        segment =
            Files.readAllBytes(
                files.filter(each -> each.toString().endsWith(".log")).findFirst().orElseThrow());
      }
      int end = segment.length;
      while (segment[end - 1] == 0) {
        end--;
      }
      assertThat(journal.statistics().bytes()).isBetween(end - 4096L, end - 4096L + 7);
    }
  }

  @Test
  void syncTimeIsThatOfTheDisk() {
    try (FileJournal journal =
        FileJournal.open(directory, clock, OPTIONS.withDisk(new SlowDisk()))) {
      Journals.write(journal, "first");
      JournalStatistics before = journal.statistics();
      Journals.write(journal, "second");

      HistogramSnapshot sync = journal.statistics().minus(before).syncNanos();
      assertThat(sync.count()).isEqualTo(1);
      assertThat(sync.sum()).isEqualTo(3_000_000);
    }
  }

  @Test
  void waitersAreCountedWhileTheyWait() throws InterruptedException {
    HeldDisk disk = new HeldDisk();
    try (FileJournal journal = FileJournal.open(directory, clock, OPTIONS.withDisk(disk))) {
      Journals.write(journal, "first");
      disk.hold();
      Thread leader = Thread.ofPlatform().start(() -> Journals.write(journal, "second"));
      disk.awaitHeld();
      assertThat(journal.statistics().waiters()).isEqualTo(1);

      CountDownLatch called = new CountDownLatch(1);
      journal.whenDurable(2, _ -> called.countDown());
      assertThat(journal.statistics().waiters()).isEqualTo(2);

      disk.letAll();
      called.await();
      Uninterruptibly.join(leader);
      assertThat(journal.statistics().waiters()).isZero();
    }
  }

  @Test
  void segmentsAndTheirBytesFollowTheDirectory() throws IOException {
    Instant opened = Instant.ofEpochMilli(clock.wallMillis());
    HistoryOptions history = new HistoryOptions(3_600_000, Long.MAX_VALUE);
    FileJournal journal = FileJournal.open(directory, clock, OPTIONS.withHistory(history));
    journal.start(List.of());
    for (int i = 0; i < 5; i++) {
      Journals.append(journal, new byte[9_000]);
    }
    journal.close();

    JournalStatistics statistics = journal.statistics();
    assertThat(statistics.segments()).isEqualTo((int) filesThatEndWith(".log").count());
    assertThat(statistics.segments()).isGreaterThan(1);
    assertThat(statistics.bytesOnDisk())
        .isEqualTo(filesThatEndWith("").mapToLong(JournalStatisticsTest::size).sum());
    assertThat(statistics.historyFrom()).isEqualTo(1);
    assertThat(statistics.historySince()).isEqualTo(opened);
  }

  private Stream<Path> filesThatEndWith(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.toString().endsWith(suffix)).toList().stream();
    }
  }

  private static long size(Path file) {
    return file.toFile().length();
  }

  /** Needs the records from a position on. */
  private static final class NeedyView implements JournalView {
    private volatile long needed = 1;

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      return needed;
    }

    @Override
    public void checkpointBefore(long position) {}
  }

  @Test
  void lowWaterLagIsWhatARecoveryWouldRead() {
    NeedyView view = new NeedyView();
    try (FileJournal journal = Journals.open(directory)) {
      journal.start(List.of(view));
      for (int i = 0; i < 5; i++) {
        Journals.write(journal, "record");
      }
      view.needed = 4;
    }
    FileJournal journal = Journals.open(directory);
    assertThat(journal.statistics().lowWaterMark()).isEqualTo(4);
    assertThat(journal.statistics().lowWaterLag()).isEqualTo(2);
    view.needed = Long.MAX_VALUE;
    journal.start(List.of(view));
    Journals.write(journal, "sixth");
    journal.close();
    assertThat(journal.statistics().lowWaterLag()).isZero();
  }

  @Test
  void snapshotTouchesNoFile() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    FileJournal journal = FileJournal.open(directory, clock, OPTIONS.withDisk(disk));
    journal.start(List.of());
    Journals.write(journal, "first");
    journal.close(); // its other threads, which prepare segments, have ended
    List<Long> before = operationsOf(disk);
    assertThat(journal.statistics().segments()).isEqualTo(1);
    assertThat(operationsOf(disk)).isEqualTo(before);
  }

  private static List<Long> operationsOf(FaultyDisk disk) {
    return Stream.of(FaultyDisk.Operation.values()).map(disk::count).toList();
  }

  @Test
  void failedJournalStillAnswers() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    FileJournal journal = FileJournal.open(directory, clock, OPTIONS.withDisk(disk));
    Journals.write(journal, "first");
    JournalStatistics before = journal.statistics();
    disk.affectOnly(path -> path.toString().endsWith(".log"));
    disk.fail(FaultyDisk.Operation.FORCE, 1);

    long lost = Journals.append(journal, "lost");
    assertThatThrownBy(() -> journal.awaitDurable(lost)).isInstanceOf(JournalFailedException.class);
    JournalStatistics after = journal.statistics();
    assertThat(after.lastPosition()).isEqualTo(2);
    assertThat(after.durablePosition()).isEqualTo(1);
    assertThat(after.minus(before).groups()).isZero();
    assertThat(after.waiters()).isZero();
    journal.close();
    JournalStatistics closed = journal.statistics();
    assertThat(closed.durablePosition()).isEqualTo(1);
    assertThat(closed.minus(before).groups()).isZero();
    assertThat(closed.segments()).isEqualTo(1);
  }
}
