package dev.holdfast.journal.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.CopiedGroup;
import dev.holdfast.journal.file.CopiedSegments;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
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
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A survey goes on after damage. */
final class JournalSurveyTest {

  private static final ObjectKey KEY =
      new ObjectKey("accounts", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

  private static final int LARGE_BYTES = 3 << 20;

  @TempDir private Path directory;

  private final List<Finding> findings = new ArrayList<>();

  private Path segment() {
    return directory.resolve("0000000000000001.log");
  }

  /** {@return the segment of a killed process that wrote four records, each in a group} */
  private byte[] crashed() throws IOException {
    JournalOptions options = JournalOptions.DEFAULT.withSegmentBytes(16 << 10).withSalts(() -> 42);
    try (FileJournal journal = FileJournal.open(directory, new VirtualClock(), options)) {
      for (int each = 1; each <= 4; each++) {
        journal.awaitDurable(
            journal.append(
                RecordKind.BATCH, 1, KEY, ChainLink.FIRST, ByteBuffer.wrap(new byte[each])));
      }
      return Files.readAllBytes(segment());
    }
  }

  private List<Long> surveyed(byte[] damaged) throws IOException {
    Files.write(segment(), damaged);
    JournalSurvey survey =
        JournalSurvey.read(new FileDisk(), directory, directory.resolve("no.mark"), findings::add);
    assertThat(survey.lost()).containsExactly(new JournalSurvey.Lost(2, 3));
    List<Long> positions = new ArrayList<>();
    survey.forEachFrom(1, record -> positions.add(record.position()));
    return positions;
  }

  private static int endOfGroupAt(byte[] segment, int offset) {
    GroupHeader group = GroupHeader.decode(segment, offset);
    assertThat(group).isNotNull();
    return offset + (int) group.groupBytes();
  }

  @Test
  void recordsAfterADamagedOneAreGiven() throws IOException {
    byte[] segment = crashed();
    segment[endOfGroupAt(segment, SegmentHeader.LENGTH_BYTES) + 70] ^= 1;
    assertThat(surveyed(segment)).containsExactly(1L, 3L, 4L);
    assertThat(findings).extracting(Finding::kind).containsExactly(FindingKind.RECORDS_DAMAGED);
  }

  @Test
  void recordsAfterAGroupThatIsGoneAreGiven() throws IOException {
    byte[] segment = crashed();
    int from = endOfGroupAt(segment, SegmentHeader.LENGTH_BYTES);
    int to = endOfGroupAt(segment, from);
    System.arraycopy(segment, to, segment, from, segment.length - to);
    assertThat(surveyed(segment)).containsExactly(1L, 3L, 4L);
  }

  /** A journal that lacks its beginning would else give out moments that it does not have. */
  @Test
  void segmentWhoseHeaderIsWrittenAgainSaysNoTime() throws IOException {
    FileDisk disk = new FileDisk();
    VirtualClock clock = new VirtualClock();
    long firstPosition = 5;
    try (CopiedSegments segments =
        new CopiedSegments(disk, directory, 7, firstPosition, 64 << 20, () -> 42)) {
      for (int each = 0; each < 2; each++) {
        segments.needFrom(segments.nextPosition());
        CopiedGroup group = new CopiedGroup();
        ByteBuffer payload = ByteBuffer.wrap(new byte[1]);
        group.add(clock.wallMillis(), RecordKind.BATCH, 1, KEY, ChainLink.FIRST, payload);
        group.writeTo(segments, clock.wallMillis());
      }
      segments.finish(new MarkFile(disk, directory.resolve("mark")));
    }
    Path file = directory.resolve("0000000000000005.log");
    byte[] segment = Files.readAllBytes(file);
    segment[SegmentHeader.LENGTH_BYTES - 1] ^= 1;
    Files.write(file, segment);
    JournalSurvey survey =
        JournalSurvey.read(disk, directory, directory.resolve("mark"), findings::add);
    assertThat(survey.repair()).singleElement().asString().contains("Wrote the header");
    clock.advance(Duration.ofDays(1));
    try (FileJournal journal = FileJournal.open(directory, clock, JournalOptions.DEFAULT)) {
      assertThat(journal.history().oldestPosition()).isEqualTo(firstPosition);
      assertThat(journal.history().oldestWallMillis()).isEqualTo(Long.MAX_VALUE);
      assertThat(journal.history().positionAt(clock.wallMillis())).isEqualTo(firstPosition + 1);
    }
  }

  /** {@return a survey of two groups with records of some megabytes} */
  private JournalSurvey large() throws IOException {
    FileDisk disk = new FileDisk();
    try (CopiedSegments segments = new CopiedSegments(disk, directory, 7, 1, 64 << 20, () -> 42)) {
      for (int each = 1; each <= 2; each++) {
        CopiedGroup group = new CopiedGroup();
        for (int record = 0; record < 3; record++) {
          ByteBuffer payload = ByteBuffer.allocate(LARGE_BYTES).put(0, (byte) (each + record));
          group.add(each, RecordKind.BATCH, 1, KEY, ChainLink.FIRST, payload);
        }
        group.writeTo(segments, each);
      }
      segments.finish(new MarkFile(disk, directory.resolve("mark")));
    }
    return JournalSurvey.read(disk, directory, directory.resolve("mark"), findings::add);
  }

  @Test
  void cursorGivesWhatAVisitorGets() throws IOException {
    JournalSurvey survey = large();
    List<JournalRecord> records = new ArrayList<>();
    try (RecordCursor cursor = survey.cursor()) {
      for (JournalRecord each = cursor.next(); each != null; each = cursor.next()) {
        records.add(each);
      }
    }
    assertThat(findings).isEmpty();
    assertThat(records).hasSize(6);
    survey.forEachFrom(1, each -> assertThat(each).isEqualTo(records.removeFirst()));
    assertThat(records).isEmpty();
  }

  /** A group may be as large as a chunk of an archive, and many journals are read at once. */
  @Test
  void cursorReadsNoRecordBeforeItIsAskedFor() throws IOException {
    JournalSurvey survey = large();
    byte[] segment = Files.readAllBytes(segment());
    segment[SegmentHeader.LENGTH_BYTES + 2 * LARGE_BYTES + 1_000] ^= 1;
    Files.write(segment(), segment);
    try (RecordCursor cursor = survey.cursor()) {
      for (long position = 1; position <= 2; position++) {
        JournalRecord record = Objects.requireNonNull(cursor.next());
        assertThat(record.position()).isEqualTo(position);
        assertThat(record.payload().get(0)).isEqualTo((byte) position);
      }
      assertThatThrownBy(cursor::next).isInstanceOf(DataDirectoryException.class);
    }
  }
}
