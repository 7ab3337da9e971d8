package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the code against version 2 of {@code docs/formats/journal.md}: a file written earlier must
 * be read as it was then, and written again byte for byte. A file of version 1 is refused, and
 * stays as it is.
 */
final class GoldenSegmentTest {

  private static final String GOLDEN = "segment-version-2.bin";
  private static final String OLDER = "segment-version-1.bin";

  private final VirtualClock clock = new VirtualClock(Instant.parse("2026-02-03T04:05:06.789Z"));

  @TempDir Path directory;

  @Test
  void segmentIsWrittenByteForByteAsTheFormatSays() throws IOException {
    write();
    assertThat(Files.readAllBytes(segment())).isEqualTo(golden());
  }

  @Test
  void segmentOfVersion2IsRead() throws IOException {
    Files.write(segment(), golden());
    List<String> read = new ArrayList<>();
    try (FileJournal journal = Journals.open(directory)) {
      journal.recoveryLog().forEach(record -> read.add(describe(record)));
      assertThat(journal.lastPosition()).isEqualTo(5);
    }
    assertThat(read)
        .containsExactly(
            "1 1770091506789 BATCH 1 ledger/" + "0".repeat(63) + "1 first",
            "2 1770091507789 CHECKPOINT 255 "
                + "\u00fcber/"
                + "ab".repeat(32)
                + " \0\0\0\0\0\0\0\1",
            "3 1770091507789 UNDO_PART 2 ledger/" + "0".repeat(63) + "1 ",
            "4 1770091507789 BATCH 2 ledger/" + "0".repeat(63) + "1 ",
            "5 1770091507789 NOTE 16 ledger/" + "0".repeat(63) + "1 note");
  }

  @Test
  void segmentOfVersion1IsRefusedAndUnchanged() throws IOException {
    Files.write(segment(), bytesOf(OLDER));
    assertThatThrownBy(() -> Journals.open(directory))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("older version")
        .hasMessageContaining("Export the objects with the version that wrote it");
    assertThat(Files.readAllBytes(segment())).isEqualTo(bytesOf(OLDER));
    assertThat(directory).isDirectoryNotContaining("glob:**.index");
  }

  @Test
  void fieldsLieWhereTheFormatSays() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(golden());
    assertThat(new String(golden(), 0, 8, StandardCharsets.US_ASCII)).isEqualTo("HFJOURNL");
    assertThat(bytes.getInt(8)).as("version").isEqualTo(2);
    assertThat(bytes.getLong(16)).as("first position").isEqualTo(1);
    assertThat(bytes.getLong(24)).as("journal id").isEqualTo(1000);
    assertThat(bytes.getLong(32)).as("salt").isEqualTo(1001);
    assertThat(bytes.getLong(40)).as("low-water mark").isEqualTo(1);
    assertThat(bytes.getLong(48)).as("allocated bytes").isEqualTo(8192);
    assertThat(bytes.getLong(56)).as("wall clock").isEqualTo(1770091506789L);
    assertThat(new String(golden(), 4096, 4, StandardCharsets.US_ASCII)).isEqualTo("HGRP");
    assertThat(bytes.getLong(4096 + 8)).as("salt of the group").isEqualTo(1001);
    assertThat(bytes.getLong(4096 + 16)).as("first position of the group").isEqualTo(1);
    assertThat(bytes.getInt(4096 + 24)).as("record count").isEqualTo(1);
    assertThat(bytes.getLong(4096 + 32)).as("body bytes").isEqualTo(80);
    assertThat(bytes.getInt(4096 + 64)).as("payload length").isEqualTo(5);
    assertThat(bytes.get(4096 + 64 + 16)).as("kind").isEqualTo((byte) 1);
    assertThat(bytes.getShort(4096 + 64 + 18)).as("namespace length").isEqualTo((short) 6);
    assertThat(bytes.getInt(4096 + 64 + 20)).as("parts").isZero();
    assertThat(bytes.getLong(4096 + 64 + 56)).as("previous batch").isZero();
    assertThat(new String(golden(), 4096 + 64 + 64, 6, StandardCharsets.US_ASCII))
        .as("namespace")
        .isEqualTo("ledger");
    int part = 4096 + 144 + 64 + 80; // after the first group and a record of a namespace of 5 bytes
    assertThat(bytes.get(part + 16)).as("kind of the part").isEqualTo((byte) 5);
    assertThat(bytes.getInt(part + 20)).as("number of the part").isEqualTo(1);
    assertThat(bytes.getLong(part + 56)).as("batch before the part").isEqualTo(1);
    int last = part + 72;
    assertThat(bytes.getInt(last + 20)).as("parts of the batch").isEqualTo(1);
    assertThat(bytes.getLong(last + 56)).as("batch before the batch").isEqualTo(1);
  }

  /** One group of one record, one of four, one of none from closing. */
  private void write() {
    AtomicLong salts = new AtomicLong(1000);
    JournalOptions options =
        JournalOptions.DEFAULT.withSegmentBytes(8192).withSalts(salts::getAndIncrement);
    ObjectKey ledger = key("ledger", "0".repeat(63) + "1");
    ObjectKey other = key("\u00fcber", "ab".repeat(32));
    try (FileJournal journal = FileJournal.open(directory, clock, options)) {
      journal.awaitDurable(
          journal.append(RecordKind.BATCH, 1, ledger, ChainLink.FIRST, utf8("first")));
      clock.advance(Duration.ofSeconds(1));
      ByteBuffer position = ByteBuffer.allocate(8).putLong(0, 1);
      journal.append(RecordKind.CHECKPOINT, 255, other, position);
      journal.append(RecordKind.UNDO_PART, 2, ledger, new ChainLink(1, 1), utf8(""));
      journal.append(RecordKind.BATCH, 2, ledger, new ChainLink(1, 1), utf8(""));
      journal.append(RecordKind.NOTE, 16, ledger, utf8("note"));
    }
  }

  private Path segment() {
    return directory.resolve("0000000000000001.log");
  }

  private static byte[] golden() throws IOException {
    return bytesOf(GOLDEN);
  }

  private static byte[] bytesOf(String name) throws IOException {
    try (InputStream in = GoldenSegmentTest.class.getResourceAsStream(name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  private static ObjectKey key(String namespace, String hex) {
    return new ObjectKey(namespace, ObjectId.of(HexFormat.of().parseHex(hex), null));
  }

  private static ByteBuffer utf8(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String describe(JournalRecord record) {
    return record.position()
        + " "
        + record.wallMillis()
        + " "
        + record.kind()
        + " "
        + record.viewId()
        + " "
        + record.key()
        + " "
        + StandardCharsets.UTF_8.decode(record.payload());
  }
}
