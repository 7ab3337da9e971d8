package dev.holdfast.journal.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.journal.file.GroupHeader;
import dev.holdfast.journal.file.SegmentHeader;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A survey goes on after damage. */
final class JournalSurveyTest {

  private static final ObjectKey KEY =
      new ObjectKey("accounts", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));

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
}
