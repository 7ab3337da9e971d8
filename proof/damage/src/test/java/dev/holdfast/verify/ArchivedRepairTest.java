package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage that the journal alone cannot repair, and an archive of the directory can. */
final class ArchivedRepairTest {

  @TempDir private static Path shared;
  private static Map<String, Object> state;

  @TempDir private Path parent;
  private Path data;
  private Path archive;
  private Path damaged;

  /** A directory as a kill leaves it, and its archive, which has everything. */
  @BeforeAll
  static void write() throws IOException {
    write(shared.resolve("alive"), "abcdefg", () -> {});
    write(
        shared.resolve("alive"),
        "hi",
        () -> CopyAtRest.of(shared.resolve("alive"), shared.resolve("data")));
    // The journal cannot rebuild an object from its first batch on.
    assertThat(shared.resolve("data/journal/0000000000000001.log")).doesNotExist();
  }

  private interface Step {
    void run() throws IOException;
  }

  private static void write(Path directory, String rounds, Step last) throws IOException {
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(new DirectoryArchive(shared.resolve("archive"))));
    try (ObjectRuntime runtime =
        SampleDirectory.open(directory, false, new VirtualClock(), options)) {
      for (String each : rounds.split("")) {
        SampleDirectory.write(runtime, each);
      }
      state = SampleDirectory.state(runtime);
      last.run();
    }
  }

  @BeforeEach
  void copy() throws IOException {
    data = parent.resolve("data");
    archive = parent.resolve("archive");
    SampleDirectory.copy(shared.resolve("data"), data);
    SampleDirectory.copy(shared.resolve("archive"), archive);
  }

  private void damageLargest() throws IOException {
    damaged = largest(data.resolve("sqlite/notes"));
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[bytes.length / 2] ^= 1;
    Files.write(damaged, bytes);
  }

  private static Path largest(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".sqlite"))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  @Test
  void fileIsTakenFromTheArchiveAndNothingIsLost() throws IOException {
    damageLargest();
    Path target = parent.resolve("target");
    RepairReport report = Repair.into(data, target, parent, new DirectoryArchive(archive));
    assertThat(report.steps())
        .anyMatch(step -> step.contains(" from ") && step.contains("nothing is lost"));
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    try (ObjectRuntime runtime = SampleDirectory.open(target, false)) {
      assertThat(SampleDirectory.state(runtime)).isEqualTo(state);
    }
  }

  @Test
  void objectStaysRefusedIfTheArchiveDoesNotLeadToItsFile() throws IOException {
    damageLargest();
    Path target = parent.resolve("target");
    RepairReport report =
        Repair.into(data, target, parent, new DirectoryArchive(parent.resolve("empty")));
    assertThat(report.isComplete()).isFalse();
    assertThat(report.losses())
        .singleElement()
        .asString()
        .contains("stays refused", "has no archive", "./holdfast restore");
    assertThat(report.left()).anyMatch(each -> each.kind() == FindingKind.OBJECT_DAMAGED);
  }

  @Test
  void filesOfAllObjectsAreRebuilt() throws IOException {
    List<Path> files = objectFiles();
    assertThat(files).hasSizeGreaterThan(3);
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
    }
    // Recovery redoes the damaged page of some objects; the others have lost it.
    long lost =
        Verification.run(data, parent, /* isDeep= */ false).findings().stream()
            .filter(each -> each.kind() == FindingKind.OBJECT_DAMAGED && each.counts())
            .count();
    assertThat(lost).isGreaterThan(2);
    RepairReport report = repair(archive);
    assertThat(report.steps())
        .filteredOn(step -> step.startsWith("Rebuilt the file of "))
        .hasSize((int) lost);
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    assertThatNothingIsLost();
  }

  @Test
  void directoryItselfIsRepairedIfThatIsAsked() throws IOException {
    damageLargest();
    RepairReport report = Repair.inPlace(data, parent, new DirectoryArchive(archive));
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    try (ObjectRuntime runtime = SampleDirectory.open(data, false)) {
      assertThat(SampleDirectory.state(runtime)).isEqualTo(state);
    }
  }

  @Test
  void recordsInTheMiddleOfTheJournalComeFromTheArchive() throws IOException {
    damageJournal(3);
    damageJournal(9);
    RepairReport report = repair(archive);
    assertThat(report.steps())
        .filteredOn(step -> step.startsWith("Took the journal positions "))
        .hasSize(2);
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    assertThatNothingIsLost();
    assertThat(Verification.run(parent.resolve("target"), parent, /* isDeep= */ true).findings())
        .isEmpty();
  }

  /** A division lets a journal say a later beginning than its first records. */
  @Test
  void repairedJournalBeginsNoEarlier() throws IOException {
    Path first = segments(data).getFirst();
    byte[] segment = Files.readAllBytes(first);
    SegmentHeader header = SegmentHeader.decode(segment);
    long begunMillis = header.wallMillis() + Duration.ofHours(1).toMillis();
    byte[] later =
        new SegmentHeader(
                header.firstPosition(),
                header.journalId(),
                header.salt(),
                header.lowWaterMark(),
                header.allocatedBytes(),
                begunMillis,
                header.isMarked())
            .encode();
    System.arraycopy(later, 0, segment, 0, later.length);
    Files.write(first, segment);
    damageJournal(3);
    repair(archive);
    Path repaired = segments(parent.resolve("target")).getFirst();
    assertThat(repaired.getFileName()).isEqualTo(first.getFileName());
    assertThat(SegmentHeader.decode(Files.readAllBytes(repaired)).wallMillis())
        .isEqualTo(begunMillis);
  }

  @Test
  void journalAndFilesThatAreDamagedBothComeFromTheArchive() throws IOException {
    damageLargest();
    damageJournal(5);
    RepairReport report = repair(archive);
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    assertThatNothingIsLost();
  }

  @Test
  void archiveThatDoesNotHaveTheRecordAfterTheDamageIsNotUsed() throws IOException {
    // What is archived ends before the damage: the rest was never archived.
    List<Path> chunks = chunks();
    for (Path chunk : chunks.subList(chunks.size() / 2, chunks.size())) {
      Files.delete(chunk);
    }
    damageJournal(3);
    RepairReport report = repair(archive);
    assertThat(report.losses())
        .anyMatch(loss -> loss.contains("cannot make the journal whole") && loss.contains("first"))
        .anyMatch(loss -> loss.startsWith("Journal positions "));
    assertThat(report.steps()).noneMatch(step -> step.startsWith("Took the journal"));
  }

  @Test
  void archiveThatLacksARecordIsNotUsed() throws IOException {
    damageJournal(9);
    long lost = firstLost();
    List<Path> chunks = chunks();
    for (Path chunk : chunks) {
      String name = chunk.getFileName().toString();
      if (Long.parseLong(name.substring(0, 16), 16) <= lost) {
        Files.delete(chunk);
      }
    }
    RepairReport report = repair(archive);
    assertThat(report.losses())
        .anyMatch(loss -> loss.contains("does not have the record at position"));
    assertThat(report.steps()).noneMatch(step -> step.startsWith("Took the journal"));
  }

  /** Old chunks leave an archive one by one, wherever segments begin. */
  @Test
  void archiveThatBeginsInTheMiddleOfASegmentFillsWhatItHas() throws IOException {
    long begin = withoutFirstGeneration();
    assertThat(segments(data)).noneMatch(each -> positionOf(each) == begin);
    damageGroup(begin);
    RepairReport report = repair(archive);
    assertThat(report.steps())
        .filteredOn(step -> step.startsWith("Took the journal positions " + begin + " to "))
        .hasSize(1);
    assertThat(report.isComplete()).describedAs("%s", report).isTrue();
    assertThatNothingIsLost();
    assertThat(Verification.run(parent.resolve("target"), parent, /* isDeep= */ true).findings())
        .isEmpty();
  }

  @Test
  void historyBeforeAnArchiveThatBeginsInTheMiddleOfADamageIsGivenUp() throws IOException {
    FileTree.delete(new FileDisk(), data);
    SampleDirectory.copy(shared.resolve("alive"), data); // closed: nothing needs its records
    long begin = withoutFirstGeneration();
    damageGroup(begin);
    damageGroup(begin - 1);
    RepairReport report = repair(archive);
    assertThat(report.steps()).noneMatch(step -> step.startsWith("Took the journal"));
    assertThat(report.losses())
        .singleElement()
        .asString()
        .startsWith("History: no object can be restored to a moment before position ");
    assertThat(positionOf(segments(parent.resolve("target")).getFirst())).isGreaterThan(begin);
    assertThatNothingIsLost();
  }

  @Test
  void archiveOfAnotherDirectoryIsNotUsed() throws IOException {
    Path other = parent.resolve("other");
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(ArchiveOptions.to(new DirectoryArchive(other)));
    try (ObjectRuntime runtime =
        SampleDirectory.open(parent.resolve("else"), false, new VirtualClock(), options)) {
      SampleDirectory.write(runtime, "a");
    }
    damageJournal(3);
    RepairReport report = repair(other);
    assertThat(report.losses()).anyMatch(loss -> loss.contains("of another data directory"));
    assertThat(report.steps()).noneMatch(step -> step.startsWith("Took the journal"));
  }

  @Test
  void lostEndOfTheJournalIsNotGuessed() throws IOException {
    Path newest = newestSegment();
    Files.write(newest, new byte[(int) Files.size(newest)]);
    RepairReport report = repair(archive);
    assertThat(report.losses()).anyMatch(loss -> loss.startsWith("No record can be read after"));
    assertThat(report.steps()).noneMatch(step -> step.startsWith("Took the journal"));
  }

  private RepairReport repair(Path from) throws IOException {
    return Repair.into(data, parent.resolve("target"), parent, new DirectoryArchive(from));
  }

  private void assertThatNothingIsLost() {
    try (ObjectRuntime runtime = SampleDirectory.open(parent.resolve("target"), false)) {
      assertThat(SampleDirectory.state(runtime)).isEqualTo(state);
    }
  }

  private List<Path> objectFiles() throws IOException {
    try (Stream<Path> files = Files.walk(data.resolve("sqlite/notes"))) {
      return files.filter(file -> file.toString().endsWith(".sqlite")).toList();
    }
  }

  private List<Path> chunks() throws IOException {
    try (Stream<Path> files = Files.walk(archive.resolve("journal"))) {
      return files.filter(file -> file.toString().endsWith(".chunk")).sorted().toList();
    }
  }

  /** {@return the first position that is left in the archive} */
  private long withoutFirstGeneration() throws IOException {
    FileTree.delete(new FileDisk(), archive.resolve("journal/0000000000000001"));
    return positionOf(chunks().getFirst());
  }

  private static long positionOf(Path file) {
    return Long.parseLong(file.getFileName().toString().substring(0, 16), 16);
  }

  /** Damages the group that ends with or has a position. */
  private void damageGroup(long position) throws IOException {
    Path segment =
        segments(data).stream()
            .filter(each -> positionOf(each) <= position)
            .reduce((_, later) -> later)
            .orElseThrow();
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
    int found = -1;
    for (int at = 0; at < bytes.capacity() - GroupHeader.LENGTH_BYTES; at += 8) {
      if (bytes.getInt(at) == GroupHeader.MAGIC && bytes.getLong(at + 16) <= position) {
        found = at;
      }
    }
    bytes.put(found + 70, (byte) (bytes.get(found + 70) ^ 1));
    Files.write(segment, bytes.array());
  }

  private long firstLost() throws IOException {
    return JournalCheck.run(new FileDisk(), data, _ -> {}).lost().getFirst().first();
  }

  private Path newestSegment() throws IOException {
    return segments(data).getLast();
  }

  private static List<Path> segments(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("journal"))) {
      return files.filter(each -> each.toString().endsWith(".log")).sorted().toList();
    }
  }

  /** Damages a group that has later ones, in the newest segment. */
  private void damageJournal(int fromLast) throws IOException {
    Path newest = newestSegment();
    byte[] bytes = Files.readAllBytes(newest);
    int left = fromLast;
    for (int at = bytes.length - 8; left > 0; at -= 8) {
      if (new String(bytes, at, 4, StandardCharsets.US_ASCII).equals("HGRP") && --left == 0) {
        bytes[at + 70] ^= 1;
      }
    }
    Files.write(newest, bytes);
  }
}
