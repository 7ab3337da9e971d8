package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The records of one object leave all files of the journal, and all other records stay. */
class PurgeTest {

  private static final HistoryOptions KEPT =
      new HistoryOptions(Duration.ofDays(30).toMillis(), Long.MAX_VALUE);
  private static final HistoryOptions NONE = new HistoryOptions(0, Long.MAX_VALUE);

  /** In every record of the object that is purged, and in no other. */
  private static final String SECRET = "the-secret-of-the-forgotten";

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

  private FileJournal open(Path where, Disk disk, HistoryOptions history) {
    FileJournal journal =
        FileJournal.open(where, clock, Journals.SMALL.withHistory(history).withDisk(disk));
    journal.start(List.of(view));
    return journal;
  }

  private FileJournal open() {
    return open(directory, new FileDisk(), KEPT);
  }

  private static long append(FileJournal journal, ObjectKey key, int number) {
    String text = (key.equals(FORGOTTEN) ? SECRET : "other") + " " + number + " ";
    return journal.append(
        RecordKind.BATCH,
        1,
        key,
        ChainLink.FIRST,
        ByteBuffer.wrap(text.repeat(1_000 / text.length()).getBytes(StandardCharsets.US_ASCII)));
  }

  /** Several segments, with groups that have records of both objects. */
  private static void fill(FileJournal journal, int count) {
    long last = 0;
    for (int number = 0; number < count; number++) {
      append(journal, OTHER, number);
      last = append(journal, number % 3 == 0 ? FORGOTTEN : OTHER, number);
      if (number % 2 == 0) {
        journal.awaitDurable(last);
      }
    }
    journal.awaitDurable(last);
  }

  private static List<String> past(FileJournal journal, ObjectKey key) {
    List<String> texts = new ArrayList<>();
    try (HistoryCursor cursor = journal.history().newestFirst(key, Long.MAX_VALUE)) {
      while (cursor.next()) {
        texts.add(
            cursor.position()
                + ":"
                + StandardCharsets.US_ASCII.decode(cursor.read().payload())
                + cursor.wallMillis());
      }
    }
    return texts;
  }

  private static boolean isAnywhere(Path where) throws IOException {
    while (true) {
      try (Stream<Path> files = Files.walk(where)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          if (Files.readString(file, StandardCharsets.ISO_8859_1).contains(SECRET)) {
            return true;
          }
        }
        return false;
      } catch (NoSuchFileException | UncheckedIOException e) {
        // The journal has deleted or renamed a file meanwhile.
        Thread.onSpinWait();
      }
    }
  }

  private static List<String> all(FileJournal journal) {
    List<String> records = new ArrayList<>();
    journal
        .history()
        .forEach(
            1,
            Long.MAX_VALUE,
            record ->
                records.add(
                    record.position()
                        + ":"
                        + (record.key().equals(OTHER)
                            ? StandardCharsets.US_ASCII.decode(record.payload()).toString()
                            : "")
                        + record.wallMillis()));
    return records;
  }

  @Test
  void recordsLeaveEveryFileAndAllOthersStay() throws IOException {
    List<String> others;
    List<String> before;
    try (FileJournal journal = open()) {
      fill(journal, 60);
      others = past(journal, OTHER);
      before = all(journal);
      assertThat(past(journal, FORGOTTEN)).hasSize(20);
      assertThat(isAnywhere(directory)).isTrue();

      journal.purge(FORGOTTEN).join();

      assertThat(isAnywhere(directory)).isFalse();
      assertThat(past(journal, FORGOTTEN)).isEmpty();
      assertThat(past(journal, OTHER)).isEqualTo(others);
      assertThat(all(journal)).startsWith(before.toArray(String[]::new));
    }
    assertThat(isAnywhere(directory)).isFalse();
    try (FileJournal journal = open()) {
      assertThat(past(journal, FORGOTTEN)).isEmpty();
      assertThat(past(journal, OTHER)).isEqualTo(others);
      assertThat(all(journal)).startsWith(before.toArray(String[]::new));
      long position = append(journal, FORGOTTEN, 1);
      journal.awaitDurable(position);
      assertThat(past(journal, FORGOTTEN)).hasSize(1);
    }
  }

  @Test
  void indexThatIsLostIsRebuiltFromVoidRecords() throws IOException {
    List<String> others;
    try (FileJournal journal = open()) {
      fill(journal, 60);
      others = past(journal, OTHER);
      journal.purge(FORGOTTEN).join();
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".index")).toList()) {
        Files.delete(file);
      }
    }
    try (FileJournal journal = open()) {
      assertThat(past(journal, FORGOTTEN)).isEmpty();
      assertThat(past(journal, OTHER)).isEqualTo(others);
    }
  }

  /** Old segments become spares and new segments unchanged, with their records after the end. */
  @Test
  void recordsLeaveFilesThatWereUsedAgain() throws IOException {
    try (FileJournal journal = open(directory, new FileDisk(), NONE)) {
      for (int round = 0; round < 4; round++) {
        fill(journal, 20);
        Journals.awaitReviews(journal);
      }
      assertThat(isAnywhere(directory)).isTrue();
      journal.purge(FORGOTTEN).join();
      assertThat(isAnywhere(directory)).isFalse();
    }
    assertThat(isAnywhere(directory)).isFalse();
  }

  @Test
  void purgeWaitsForWhatIsNeeded() throws IOException {
    try (FileJournal journal = open()) {
      fill(journal, 20);
      view.mark = 5;
      view.purgeFloor = 7;
      CompletableFuture<Void> purge = journal.purge(FORGOTTEN);
      Journals.awaitReviews(journal);
      Journals.awaitReviews(journal);
      assertThat(purge).isNotDone();
      assertThat(past(journal, FORGOTTEN)).hasSize(7);
      view.mark = Long.MAX_VALUE;
      clock.advance(Duration.ofSeconds(1));
      Journals.awaitReviews(journal);
      assertThat(purge).isNotDone();
      view.purgeFloor = Long.MAX_VALUE;
      clock.advance(Duration.ofSeconds(1));
      purge.join();
      assertThat(isAnywhere(directory)).isFalse();
    }
  }

  @Test
  void purgeThatTheCloseInterruptsFails() {
    CompletableFuture<Void> purge;
    try (FileJournal journal = open()) {
      fill(journal, 20);
      view.mark = 5;
      purge = journal.purge(FORGOTTEN);
      Journals.awaitReviews(journal);
    }
    assertThatThrownBy(purge::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(JournalFailedException.class)
        .hasMessageContaining("purge again");
  }

  @Test
  void damagedSegmentIsNotPurged() throws IOException {
    try (FileJournal journal = open()) {
      fill(journal, 60);
      Path oldest = directory.resolve("0000000000000001.log");
      try (var channel = Files.newByteChannel(oldest, StandardOpenOption.WRITE)) {
        channel.position(4096 + 64 + 100);
        channel.write(ByteBuffer.wrap(new byte[] {1}));
      }
      assertThatThrownBy(() -> journal.purge(FORGOTTEN).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(JournalCorruptException.class)
          .hasMessageContaining("cannot be purged");
    }
  }

  @Test
  void emptyJournalIsPurged() {
    try (FileJournal journal = open()) {
      journal.purge(FORGOTTEN).join();
      fill(journal, 1);
      journal.purge(FORGOTTEN).join();
      journal.purge(FORGOTTEN).join();
      assertThat(past(journal, FORGOTTEN)).isEmpty();
    }
  }

  /** Whatever step of a purge is the last one, the journal opens with all other records. */
  @Test
  void journalOpensWhereverThePowerIsCut() throws IOException {
    long steps = Long.MAX_VALUE;
    List<String> others = List.of();
    for (long step = -1; step < steps; step++) {
      Path data = Files.createDirectories(directory.resolve("run" + step));
      PowerLossDisk disk = new PowerLossDisk(data);
      FileJournal journal = open(data.resolve("journal"), disk, KEPT);
      fill(journal, 24);
      Journals.awaitReviews(journal);
      others = step < 0 ? past(journal, OTHER) : others;
      long begun = disk.steps();
      disk.cutPowerAfter(step < 0 ? Long.MAX_VALUE : begun + step);
      CompletableFuture<Void> purge = journal.purge(FORGOTTEN);
      boolean done = isDone(purge);
      if (step < 0) {
        assertThat(done).isTrue();
        steps = disk.steps() - begun;
        assertThat(steps).isGreaterThan(20);
      }
      for (int seed = 0; seed < 2; seed++) {
        Path image = directory.resolve("image" + step + "-" + seed);
        disk.writeCrashImage(image, seed);
        String what = "power cut after step %d of the purge, image %d".formatted(step, seed);
        if (done) {
          assertThat(isAnywhere(image)).as(what).isFalse();
        }
        checkImage(image, others, what);
      }
      close(journal);
    }
  }

  private void checkImage(Path image, List<String> others, String what) throws IOException {
    try (FileJournal journal = open(image.resolve("journal"), new FileDisk(), KEPT)) {
      assertThat(past(journal, OTHER)).as(what).isEqualTo(others);
      assertThat(past(journal, FORGOTTEN)).as(what).hasSizeLessThanOrEqualTo(8);
      journal.purge(FORGOTTEN).join();
      assertThat(isAnywhere(image)).as(what).isFalse();
      assertThat(past(journal, OTHER)).as(what).isEqualTo(others);
    }
  }

  private static boolean isDone(CompletableFuture<Void> purge) {
    try {
      purge.join();
      return true;
    } catch (CompletionException e) {
      return false;
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
    volatile long mark = Long.MAX_VALUE;
    volatile long purgeFloor = Long.MAX_VALUE;

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

    @Override
    public long purgeFloor() {
      return purgeFloor;
    }
  }
}
