package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.ArrayFile;
import dev.holdfast.journal.file.ExpectedJournal;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.JournalScan;
import dev.holdfast.journal.file.RecordHeader;
import dev.holdfast.journal.file.ScannedRecords;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentRecoveryLog;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a journal that are torn, cut, flipped, swapped or lost, in every way. */
final class SegmentDamageTest {

  private static final int HEADER_BYTES = SegmentHeader.LENGTH_BYTES;

  @TempDir Path work;

  private int crashes;

  // ---- the tail

  @Test
  void groupCutAtAnyByteIsCutOffAndNothingElse() {
    Map<String, byte[]> files = crashed("a", "b", "the last group");
    byte[] segment = newest(files);
    long[] ends = groupEnds(segment);
    for (int cut = (int) ends[1]; cut < (int) ends[2]; cut++) {
      byte[] torn = segment.clone();
      Arrays.fill(torn, cut, (int) ends[2], (byte) 0);
      if (!Arrays.equals(torn, segment)) {
        assertThat(recovered(files, torn)).as("cut at %d", cut).containsExactly("a", "b");
      }
    }
  }

  @Test
  void groupTornAtAnyPagesIsCutOffAndNothingElse() {
    Map<String, byte[]> before = crashed("a", "b");
    Map<String, byte[]> after = crashed("a", "b", "c".repeat(5 * 4096));
    byte[] whole = newest(after);
    byte[] old = Arrays.copyOf(newest(before), whole.length);
    int firstPage = (int) groupEnds(whole)[1] / 4096;
    int pages = 6;
    for (int lost = 1; lost < 1 << pages; lost++) {
      byte[] torn = whole.clone();
      for (int page = 0; page < pages; page++) {
        if ((lost >> page & 1) != 0) {
          int start = (firstPage + page) * 4096;
          System.arraycopy(old, start, torn, start, 4096);
        }
      }
      assertThat(recovered(after, torn)).as("lost pages %s", lost).containsExactly("a", "b");
    }
  }

  @Test
  void pagesOfAnEarlierTornGroupAreNotTakenForTheirSuccessors() {
    // Both groups have the same place, position and sizes; the second was torn over the first.
    byte[] first = newest(crashed("a", "1".repeat(5 * 4096)));
    Map<String, byte[]> files = crashed("a", "2".repeat(5 * 4096));
    byte[] second = newest(files);
    for (int page = 2; page <= 5; page++) {
      byte[] mixed = second.clone();
      System.arraycopy(first, page * 4096, mixed, page * 4096, 4096);
      assertThat(recovered(files, mixed)).as("page %d", page).containsExactly("a");
    }
  }

  @Test
  void recordsOfAnEarlierTornGroupAreNotTakenForTheirSuccessors() {
    // Every page has the heads of its records and their first bytes, so each record by itself is
    // valid whether a page is old or new.
    byte[] first = newest(crashedInOneGroup("1", 10));
    Map<String, byte[]> files = crashedInOneGroup("2", 10);
    byte[] second = newest(files);
    for (int page = 2; page <= 4; page++) {
      byte[] mixed = second.clone();
      System.arraycopy(first, page * 4096, mixed, page * 4096, 4096);
      assertThat(recovered(files, mixed)).as("page %d", page).containsExactly("first");
    }
  }

  @Test
  void groupsStoredInsideARecordAreNotTakenForGroupsOfTheJournal() {
    // A group of another journal, at a higher position, in the payload of a group that was torn.
    byte[] foreign = newest(crashed(7, "a", "b", "c", "d", "e"));
    long[] ends = groupEnds(foreign);
    byte[] payload = new byte[1000];
    int aligned = 64 - (RecordHeader.LENGTH_BYTES + "accounts".length()) % 8;
    System.arraycopy(foreign, (int) ends[3], payload, aligned, (int) (ends[4] - ends[3]));
    Map<String, byte[]> files = crashed("x", new String(payload, StandardCharsets.ISO_8859_1));
    byte[] torn = newest(files);
    assertThat(new String(torn, StandardCharsets.ISO_8859_1).split("HGRP", -1)).hasSize(4);
    torn[(int) groupEnds(torn)[0] + 70] ^= 1;
    assertThat(recovered(files, torn)).containsExactly("x");
  }

  @Test
  void groupThatLeavesOutPositionsIsReported() {
    Map<String, byte[]> files = crashed("a", "b");
    byte[] segment = newest(files);
    int at = (int) groupEnds(segment)[0];
    GroupHeader header = GroupHeader.decode(segment, at);
    assertThat(header).isNotNull();
    byte[] moved = new byte[GroupHeader.LENGTH_BYTES];
    new GroupHeader(header.salt(), 7, header.recordCount(), header.digest(), header.bodyBytes(), 1)
        .encode(moved);
    System.arraycopy(moved, 0, segment, at, moved.length);
    assertThatThrownBy(() -> recovered(files, segment)).isInstanceOf(JournalCorruptException.class);
  }

  @Test
  void appendsAfterACutTailAreRecovered() {
    Map<String, byte[]> files = crashed("a", "b", "x".repeat(3000));
    byte[] torn = newest(files);
    torn[(int) groupEnds(torn)[1] + 1000] ^= 1;
    Path directory = write(files, torn);
    try (FileJournal journal = Journals.open(directory)) {
      assertThat(Journals.write(journal, "c")).isEqualTo(3);
    }
    assertThat(Journals.reopened(directory)).containsExactly("a", "b", "c");
  }

  @Test
  void tornGroupAtTheEndOfAFullSegmentStopsNeitherArchiveNorPurge() throws Exception {
    Map<String, byte[]> files = crashed("a", "b", "x".repeat(3000));
    byte[] torn = newest(files);
    torn[(int) groupEnds(torn)[1] + 1000] ^= 1;
    HistoryOptions kept = new HistoryOptions(Long.MAX_VALUE, Long.MAX_VALUE);
    try (FileJournal journal =
        Journals.open(write(files, torn), Journals.SMALL.withHistory(kept))) {
      journal.start(List.of());
      // Needs a segment, so it does not overwrite the torn group.
      assertThat(Journals.write(journal, "c".repeat(30_000))).isEqualTo(3);

      JournalTail tail = journal.tail();
      assertThat(tail.read(1, 1 << 20).lastPosition()).isEqualTo(2);
      assertThat(tail.read(3, 1 << 20).lastPosition()).isEqualTo(3);
      journal.purge(Journals.KEY, 2).get();
      assertThat(journal.history().newestFirst(Journals.KEY, 2).next()).isFalse();
    }
  }

  // ---- before the tail

  @Test
  void walkGoesOnAfterADamagedGroup() throws IOException {
    Map<String, byte[]> files = crashed("one", "two", "three", "four");
    byte[] segment = newest(files);
    long[] ends = groupEnds(segment);
    segment[(int) ends[0] + 70] ^= 1;

    try (SegmentReader reader = SegmentReader.of(new ArrayFile(segment), Path.of("segment"))) {
      SegmentWalk walk = SegmentWalk.of(reader, SegmentHeader.decode(reader.headerPage()));
      assertThat(positions(walk)).containsExactly(1L);
      assertThat(walk.resume()).isEqualTo(new SegmentWalk.Hole(ends[0], 2, 3));
      assertThat(positions(walk)).containsExactly(3L, 4L);
      assertThat(walk.resume()).isNull();
    }
  }

  private static List<Long> positions(SegmentWalk walk) throws IOException {
    List<Long> positions = new ArrayList<>();
    while (walk.next(SegmentWalk.RECORDS) != null) {
      positions.add(walk.position() - 1);
    }
    return positions;
  }

  @Test
  void flippedBitBeforeTheLastGroupIsReportedAndInItCutOff() {
    Map<String, byte[]> files = crashed("one", "two", "three");
    byte[] segment = newest(files);
    long[] ends = groupEnds(segment);
    Path directory = write(files, segment);
    // The header page is zero from byte 64 on, and all of it under one checksum: a sample is
    // sufficient.
    for (int at = 0; at < ends[2]; at += at >= 64 && at < HEADER_BYTES - 32 ? 32 : 1) {
      byte[] flipped = segment.clone();
      flipped[at] ^= (byte) (1 << at % 8);
      write(directory, flipped);
      if (at < ends[1]) {
        int offset = at;
        assertThatThrownBy(() -> scan(directory))
            .as("byte %d", offset)
            .isInstanceOf(JournalCorruptException.class);
      } else {
        assertThat(scan(directory)).as("byte %d", at).containsExactly("one", "two");
      }
    }
  }

  @Test
  void damageNamesFileOffsetAndPositionAndChangesNothing() {
    Map<String, byte[]> files = crashed("one", "two", "three");
    byte[] segment = newest(files);
    long firstEnd = groupEnds(segment)[0];
    segment[(int) firstEnd + 70] ^= 1;
    Path directory = write(files, segment);
    Map<String, byte[]> before = Directories.read(directory);
    assertThatThrownBy(() -> Journals.open(directory))
        .isInstanceOfSatisfying(
            JournalCorruptException.class,
            e -> {
              assertThat(e.file()).isEqualTo(directory.resolve(newestName(files)).toString());
              assertThat(e.offsetBytes()).isEqualTo(firstEnd);
              assertThat(e.position()).isEqualTo(2);
            });
    assertThat(Directories.read(directory)).usingRecursiveComparison().isEqualTo(before);
  }

  @Test
  void damagedLastGroupOfACleanlyClosedJournalIsReported() throws IOException {
    Path directory = work.resolve("closed");
    try (FileJournal journal = Journals.open(directory)) {
      Journals.write(journal, "a");
      Journals.write(journal, "b");
    }
    Path file = Directories.list(directory, ".log").getFirst();
    byte[] segment = Files.readAllBytes(file);
    segment[(int) groupEnds(segment)[0] + 80] ^= 1;
    Files.write(file, segment);
    assertThatThrownBy(() -> Journals.open(directory)).isInstanceOf(JournalCorruptException.class);
  }

  @Test
  void damageInAnOlderSegmentIsReported() {
    Map<String, byte[]> files = crashed(lines(60));
    String oldest = files.keySet().iterator().next();
    byte[] segment = files.get(oldest);
    segment[(int) groupEnds(segment)[2] + 100] ^= 1;
    assertThatThrownBy(() -> Journals.open(Directories.write(work.resolve("d"), files)))
        .isInstanceOf(JournalCorruptException.class)
        .hasMessageContaining(oldest);
  }

  @Test
  void damagedEndOfAnOlderSegmentIsReported() {
    Map<String, byte[]> files = crashed(lines(60));
    byte[] segment = files.get(files.keySet().iterator().next());
    long[] ends = groupEnds(segment);
    segment[(int) ends[ends.length - 1] - 20] ^= 1;
    assertThatThrownBy(() -> Journals.open(Directories.write(work.resolve("d"), files)))
        .isInstanceOf(JournalCorruptException.class)
        .hasMessageContaining("next segment begins at position");
  }

  // ---- whole files

  @Test
  void missingSegmentIsReported() {
    Map<String, byte[]> files = crashed(lines(100));
    List<String> names = segmentNames(files);
    assertThat(names).hasSizeGreaterThan(3);
    for (String missing : names.subList(0, names.size() - 1)) {
      Path directory = Directories.write(work.resolve("without-" + missing), files);
      assertThat(directory.resolve(missing).toFile().delete()).isTrue();
      assertThatThrownBy(() -> Journals.open(directory))
          .as(missing)
          .isInstanceOf(JournalCorruptException.class);
    }
  }

  @Test
  void newestSegmentWithoutHeaderIsReportedSinceNoCrashLeavesIt() {
    Map<String, byte[]> files = crashed(lines(60));
    for (int size : new int[] {0, 100, 4095, 4096, 12288}) {
      byte[] empty = new byte[size];
      assertThatThrownBy(() -> recovered(files, empty))
          .as("%d zeros", size)
          .isInstanceOf(JournalCorruptException.class);
    }
  }

  @Test
  void newestSegmentWithoutGroupsIsGoneOnWith() {
    Map<String, byte[]> files = crashed(lines(60));
    byte[] segment = newest(files);
    Arrays.fill(segment, HEADER_BYTES, segment.length, (byte) 0);
    List<String> left = recovered(files, segment);
    assertThat(left).isNotEmpty().isEqualTo(List.of(lines(60)).subList(0, left.size()));
    Path directory = work.resolve("again");
    Directories.write(directory, files);
    write(directory, segment);
    try (FileJournal journal = Journals.open(directory)) {
      assertThat(Journals.write(journal, "next")).isEqualTo(left.size() + 1);
    }
    left.add("next");
    assertThat(Journals.reopened(directory)).isEqualTo(left);
  }

  @Test
  void segmentThatWasCutIsReported() {
    Map<String, byte[]> files = crashed("a", "b");
    byte[] cut = Arrays.copyOf(newest(files), HEADER_BYTES + 4096);
    assertThatThrownBy(() -> recovered(files, cut))
        .isInstanceOf(JournalCorruptException.class)
        .hasMessageContaining("was truncated");
  }

  @Test
  void renamedSegmentIsReported() throws IOException {
    Path directory = Directories.write(work.resolve("d"), crashed("a"));
    Files.move(
        directory.resolve("0000000000000001.log"), directory.resolve("0000000000000007.log"));
    assertThatThrownBy(() -> Journals.open(directory))
        .isInstanceOf(JournalCorruptException.class)
        .hasMessageContaining("begins at position 1");
  }

  @Test
  void segmentOfAnotherJournalIsReported() {
    Map<String, byte[]> files = crashed(lines(60));
    Map<String, byte[]> others = crashed(43, lines(60));
    String oldest = segmentNames(files).getFirst();
    files.put(oldest, others.get(oldest));
    assertThatThrownBy(() -> Journals.open(Directories.write(work.resolve("d"), files)))
        .isInstanceOf(JournalCorruptException.class)
        .hasMessageContaining("another journal");
  }

  @Test
  void newerFormatVersionIsReportedAsSuch() {
    Map<String, byte[]> files = crashed("a");
    byte[] segment = newest(files);
    ByteBuffer.wrap(segment).putInt(8, 3);
    CRC32C crc = new CRC32C();
    crc.update(segment, 0, 12);
    crc.update(segment, 16, HEADER_BYTES - 16);
    ByteBuffer.wrap(segment).putInt(12, (int) crc.getValue());
    assertThatThrownBy(() -> recovered(files, segment))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("newer version");
  }

  @Test
  void strangeFilesAreLeftAlone() throws IOException {
    Path directory = Directories.write(work.resolve("d"), crashed("a"));
    Files.writeString(directory.resolve("notes.txt"), "mine");
    Files.writeString(directory.resolve("1.log"), "mine");
    assertThat(Journals.reopened(directory)).containsExactly("a");
    assertThat(directory.resolve("notes.txt")).hasContent("mine");
    assertThat(directory.resolve("1.log")).hasContent("mine");
  }

  // ---- helpers

  private static String[] lines(int count) {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(i + " " + "z".repeat(1000));
    }
    return lines.toArray(String[]::new);
  }

  /**
   * {@return the files of a journal whose process died after it had written each text in a group}
   */
  private Map<String, byte[]> crashed(String... texts) {
    return crashed(42, texts);
  }

  private Map<String, byte[]> crashed(long salt, String... texts) {
    Path directory = work.resolve("crashed-" + ++crashes);
    JournalOptions options = Journals.SMALL.withSegmentBytes(32768).withSalts(() -> salt);
    try (FileJournal journal = Journals.open(directory, options)) {
      for (String text : texts) {
        Journals.write(journal, text);
      }
      return Directories.read(directory, ".log"); // spares come and go in the background
    }
  }

  /** {@return the files after a first group and one of many records that begin with a text} */
  private Map<String, byte[]> crashedInOneGroup(String start, int count) {
    Path directory = work.resolve("crashed-" + ++crashes);
    JournalOptions options = Journals.SMALL.withSegmentBytes(32768).withSalts(() -> 42);
    try (FileJournal journal = Journals.open(directory, options)) {
      Journals.write(journal, "first");
      for (int i = 0; i < count; i++) {
        Journals.append(journal, start + "=".repeat(1500));
      }
      journal.awaitDurable(journal.lastPosition());
      return Directories.read(directory, ".log");
    }
  }

  private static List<String> segmentNames(Map<String, byte[]> files) {
    return List.copyOf(files.keySet());
  }

  private static String newestName(Map<String, byte[]> files) {
    return segmentNames(files).getLast();
  }

  private static byte[] newest(Map<String, byte[]> files) {
    return files.get(newestName(files)).clone();
  }

  /** {@return where the groups of an undamaged segment end} */
  private static long[] groupEnds(byte[] segment) {
    List<Long> ends = new ArrayList<>();
    int at = HEADER_BYTES;
    GroupHeader header = GroupHeader.decode(segment, at);
    while (header != null) {
      at += (int) header.groupBytes();
      ends.add((long) at);
      header =
          at + GroupHeader.LENGTH_BYTES <= segment.length ? GroupHeader.decode(segment, at) : null;
    }
    return ends.stream().mapToLong(Long::longValue).toArray();
  }

  private List<String> recovered(Map<String, byte[]> files, byte[] newestSegment) {
    return scan(write(files, newestSegment));
  }

  private Path write(Map<String, byte[]> files, byte[] newestSegment) {
    Path directory = Directories.write(work.resolve("damaged"), files);
    write(directory, newestSegment);
    return directory;
  }

  private static void write(Path directory, byte[] newestSegment) {
    Path newest = Directories.list(directory, ".log").getLast();
    Directories.write(directory, Map.of(newest.getFileName().toString(), newestSegment));
  }

  /** The part of opening that changes nothing. */
  private static List<String> scan(Path directory) {
    try {
      FileDisk disk = new FileDisk();
      Segments segments = Segments.list(disk, directory);
      JournalScan.Result found =
          new JournalScan(disk, segments, ExpectedJournal.ANY, new ScannedRecords(0)).run(() -> 0);
      List<String> texts = new ArrayList<>();
      new SegmentRecoveryLog(disk, segments, found)
          .forEach(record -> texts.add(StandardCharsets.UTF_8.decode(record.payload()).toString()));
      return texts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
