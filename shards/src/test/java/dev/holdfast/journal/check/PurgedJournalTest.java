package dev.holdfast.journal.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal whose history was purged has nothing that a check reports. */
final class PurgedJournalTest {

  private static final ObjectKey FORGOTTEN = object(1);
  private static final ObjectKey OTHER = object(2);

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();
  private final Needs view = new Needs();

  private static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putInt(number);
    return new ObjectKey("things", ObjectId.of(id, null));
  }

  private FileJournal open(Path data, Disk disk) throws IOException {
    JournalOptions options =
        JournalOptions.DEFAULT
            .withSegmentBytes(16 << 10)
            .withHistory(new HistoryOptions(Duration.ofDays(30).toMillis(), Long.MAX_VALUE))
            .withDisk(disk);
    Path place = Files.createDirectories(data.resolve(FileJournal.DIRECTORY_NAME));
    FileJournal journal = FileJournal.open(place, clock, options);
    journal.start(List.of(view));
    return journal;
  }

  private static void fill(FileJournal journal, int count) {
    for (int number = 0; number < count; number++) {
      append(journal, OTHER);
      long last = append(journal, number % 3 == 0 ? FORGOTTEN : OTHER);
      if (number % 2 == 0) {
        journal.awaitDurable(last);
      }
    }
    journal.awaitDurable(journal.lastPosition());
  }

  private static long append(FileJournal journal, ObjectKey key) {
    return journal.append(
        RecordKind.BATCH, 1, key, ChainLink.FIRST, ByteBuffer.wrap(new byte[1_000]));
  }

  private static List<Finding> findings(Path data) throws IOException {
    List<Finding> findings = new ArrayList<>();
    JournalCheck.run(new FileDisk(), data, findings::add);
    return findings;
  }

  /** Groups without records at the end of a segment, which a mark or a close leaves. */
  @Test
  void indexOfAPurgedSegmentIsSound() throws IOException {
    for (int opening = 0; opening < 3; opening++) {
      try (FileJournal journal = open(directory, new FileDisk())) {
        view.mark = 1; // a review meanwhile would let go of the records of the purge
        fill(journal, 3);
        view.mark = journal.lastPosition();
        CompletableFuture<Void> purge = journal.purge(FORGOTTEN, journal.lastPosition());
        journal.purge(object(3), 1).join(); // the mark is written before
        assertThat(purge).isNotDone();
        view.mark = Long.MAX_VALUE;
        clock.advance(Duration.ofSeconds(1));
        purge.join();
      }
      assertThat(findings(directory)).isEmpty();
    }
  }

  /** Whatever step of a purge is the last one. */
  @Test
  void nothingIsReportedWhereverThePowerIsCut() throws IOException {
    long steps = Long.MAX_VALUE;
    for (long step = -1; step < steps; step++) {
      Path data = Files.createDirectories(directory.resolve("run" + step));
      PowerLossDisk disk = new PowerLossDisk(data);
      FileJournal journal = open(data, disk);
      fill(journal, 24);
      journal.purge(object(3), 1).join(); // nothing else is under way
      long begun = disk.steps();
      disk.cutPowerAfter(step < 0 ? Long.MAX_VALUE : begun + step);
      boolean isDone =
          journal
              .purge(FORGOTTEN, journal.lastPosition())
              .handle((_, failure) -> failure == null)
              .join();
      if (step < 0) {
        assertThat(isDone).isTrue();
        steps = disk.steps() - begun;
        assertThat(steps).isGreaterThan(10);
      }
      for (int seed = 0; seed < 2; seed++) {
        Path image = directory.resolve("image" + step + "-" + seed);
        disk.writeCrashImage(image, seed);
        assertThat(findings(image))
            .as("power cut after step %d of the purge, image %d", step, seed)
            .allMatch(found -> found.kind() == FindingKind.TAIL_TORN);
      }
      close(journal);
    }
  }

  private static void close(FileJournal journal) {
    try {
      journal.close();
    } catch (RuntimeException e) {
      // The power is off.
    }
  }

  private static final class Needs implements JournalView {
    private volatile long mark = Long.MAX_VALUE;

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog log) {}

    @Override
    public long lowWaterMark() {
      return mark;
    }

    @Override
    public void checkpointBefore(long position) {}
  }
}
