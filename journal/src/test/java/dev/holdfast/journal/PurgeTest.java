package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.ForwardingDisk;
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
import java.util.concurrent.atomic.AtomicInteger;
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

  /** All that was appended so far. */
  private static CompletableFuture<Void> purge(FileJournal journal) {
    return journal.purge(FORGOTTEN, journal.lastPosition());
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

      purge(journal).join();

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
      purge(journal).join();
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
      purge(journal).join();
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
      CompletableFuture<Void> purge = purge(journal);
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

  /** The extent is decided when the purge is requested, however late it ends. */
  @Test
  void laterRecordsStayAlsoWhenTheNextOpeningContinues() throws IOException {
    long upTo;
    List<String> later;
    try (FileJournal journal = open()) {
      view.mark = 5; // before: a review meanwhile would let go of the records of the purge
      fill(journal, 20);
      upTo = journal.lastPosition();
      CompletableFuture<Void> purge = journal.purge(FORGOTTEN, upTo);
      fill(journal, 20);
      later = past(journal, FORGOTTEN).subList(0, 7);
      assertThat(purge).isNotDone();
    }
    view.mark = Long.MAX_VALUE;
    for (int opening = 0; opening < 2; opening++) {
      try (FileJournal journal = open()) {
        fill(journal, 5);
        journal.purge(FORGOTTEN, upTo).join();
        assertThat(past(journal, FORGOTTEN)).hasSize(9 + 2 * opening);
        assertThat(past(journal, FORGOTTEN)).containsAll(later);
      }
    }
  }

  /** The same object twice: the further extent counts, and no later record. */
  @Test
  void purgesOfOneRoundHaveTheirOwnExtents() {
    try (FileJournal journal = open()) {
      view.purgeFloor = 1;
      fill(journal, 3);
      long first = journal.lastPosition();
      fill(journal, 3);
      long second = journal.lastPosition();
      fill(journal, 3);
      List<CompletableFuture<Void>> purges =
          List.of(
              journal.purge(FORGOTTEN, second),
              journal.purge(FORGOTTEN, first),
              journal.purge(OTHER, first));
      view.purgeFloor = Long.MAX_VALUE;
      clock.advance(Duration.ofSeconds(1));
      purges.forEach(CompletableFuture::join);
      assertThat(past(journal, FORGOTTEN)).hasSize(1).allMatch(text -> positionIn(text) > second);
      assertThat(past(journal, OTHER)).hasSize(10).allMatch(text -> positionIn(text) > first);
    }
  }

  private static long positionIn(String text) {
    return Long.parseLong(text.substring(0, text.indexOf(':')));
  }

  /**
   * A low-water mark is a group without records: it does not make the next position another one.
   */
  @Test
  void segmentThatHasOnlyAMarkIsNotBegunAgain() {
    try (FileJournal journal = open()) {
      view.mark = 2;
      fill(journal, 3);
      journal.purge(FORGOTTEN, 1).join();
      assertThat(past(journal, OTHER)).hasSize(5);
      view.mark = Long.MAX_VALUE;
      purge(journal).join();
      append(journal, OTHER, 9);
      journal.awaitDurable(journal.lastPosition());
      assertThat(past(journal, OTHER)).hasSize(6);
    }
    try (FileJournal journal = open()) {
      assertThat(past(journal, OTHER)).hasSize(6);
    }
  }

  /** What is asked for at once is one rewrite of each segment, and one short segment. */
  @Test
  void manyPurgesAreOneRewrite() throws IOException {
    Rewrites disk = new Rewrites();
    int count = 200;
    try (FileJournal journal =
        FileJournal.open(
            directory, clock, JournalOptions.DEFAULT.withHistory(KEPT).withDisk(disk))) {
      journal.start(List.of(view));
      for (int number = 0; number < 10; number++) {
        for (int each = 0; each < count; each++) {
          append(journal, object(100 + each), number);
        }
      }
      journal.awaitDurable(journal.lastPosition());
      view.purgeFloor = 1;
      List<CompletableFuture<Void>> purges = new ArrayList<>();
      for (int each = 0; each < count; each++) {
        purges.add(journal.purge(object(100 + each), journal.lastPosition()));
      }
      Journals.awaitReviews(journal);
      assertThat(disk.rewritten).hasValue(0);
      view.purgeFloor = Long.MAX_VALUE;
      clock.advance(Duration.ofSeconds(1));
      purges.forEach(CompletableFuture::join);
      assertThat(disk.rewritten).hasValue(1);
      assertThat(fullBytes()).isLessThan(2_500_000); // 2,000 records of 1,000 bytes
      assertThat(past(journal, object(150))).isEmpty();
    }
  }

  /** Each is awaited before the next one is requested. */
  @Test
  void purgesOneAfterTheOtherLeaveLittleRoomAllocated() throws IOException {
    Rewrites disk = new Rewrites();
    try (FileJournal journal =
        FileJournal.open(
            directory, clock, JournalOptions.DEFAULT.withHistory(KEPT).withDisk(disk))) {
      journal.start(List.of(view));
      fill(journal, 100);
      int count = 20;
      for (int each = 0; each < count; each++) {
        long last = append(journal, object(100 + each), each);
        journal.awaitDurable(last);
        journal.purge(object(100 + each), last).join();
      }
      assertThat(disk.rewritten).hasValue(count);
      assertThat(fullBytes()).isLessThan(600_000); // 220 records of 1,000 bytes, and pages
      assertThat(past(journal, OTHER)).hasSize(166);
    }
  }

  /** {@return the size of all segments but the newest one, which has room for what comes} */
  private long fullBytes() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> segments =
          files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
      return segments.subList(0, segments.size() - 1).stream()
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  /** Counts the segments that are written again. */
  private static final class Rewrites extends ForwardingDisk {
    final AtomicInteger rewritten = new AtomicInteger();

    Rewrites() {
      super(new FileDisk());
    }

    @Override
    public void move(Path file, Path target) throws IOException {
      if (file.toString().endsWith(".spare.new") && target.toString().endsWith(".log")) {
        rewritten.incrementAndGet();
      }
      super.move(file, target);
    }
  }

  @Test
  void purgeThatTheCloseInterruptsFails() {
    CompletableFuture<Void> purge;
    try (FileJournal journal = open()) {
      fill(journal, 20);
      view.mark = 5;
      purge = purge(journal);
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
      assertThatThrownBy(() -> purge(journal).join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(JournalCorruptException.class)
          .hasMessageContaining("cannot be purged");
    }
  }

  @Test
  void emptyJournalIsPurged() {
    try (FileJournal journal = open()) {
      purge(journal).join();
      fill(journal, 1);
      purge(journal).join();
      purge(journal).join();
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
      CompletableFuture<Void> purge = purge(journal);
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
      purge(journal).join();
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
