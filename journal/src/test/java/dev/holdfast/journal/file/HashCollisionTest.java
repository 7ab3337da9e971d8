package dev.holdfast.journal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.Journals;
import dev.holdfast.spi.HistoryCursor;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two objects whose hashes are equal. By accident that happens to one pair of objects in 2^64; the
 * only promise then is that no record is taken for one of the other object.
 */
final class HashCollisionTest {

  private static final String NAMESPACE = "things";

  @TempDir private Path directory;

  private static long mixed(long value) {
    long half = (value ^ (value >>> 32)) * 0xD6E8FEB86659FD93L;
    return (half ^ (half >>> 32)) * 0xD6E8FEB86659FD93L;
  }

  /** {@return the hash before the last eight bytes of an id count} */
  private static long prefix(long first) {
    long hash = 0x9E3779B97F4A7C15L;
    for (byte each : NAMESPACE.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ each) * 0x100000001B3L;
    }
    return mixed(mixed(mixed(hash ^ first)));
  }

  private static ObjectKey object(long first, long last) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putLong(0, first).putLong(24, last);
    return new ObjectKey(NAMESPACE, ObjectId.of(id, null));
  }

  @Test
  void recordOfAnotherObjectIsRefusedInsteadOfUndone() {
    ObjectKey one = object(1, 0);
    ObjectKey two = object(2, prefix(1) ^ prefix(2));
    assertThat(SegmentIndex.hashOf(one)).isEqualTo(SegmentIndex.hashOf(two));
    HistoryOptions history = new HistoryOptions(Duration.ofDays(30).toMillis(), Long.MAX_VALUE);
    try (FileJournal journal =
        FileJournal.open(directory, new VirtualClock(), Journals.SMALL.withHistory(history))) {
      journal.start(List.of());
      journal.append(RecordKind.BATCH, 1, one, ChainLink.FIRST, ByteBuffer.wrap(new byte[8]));
      journal.awaitDurable(
          journal.append(RecordKind.BATCH, 1, two, ChainLink.FIRST, ByteBuffer.wrap(new byte[8])));
      try (HistoryCursor cursor = journal.history().newestFirst(one, Long.MAX_VALUE)) {
        assertThat(cursor.next()).isTrue();
        assertThatThrownBy(cursor::read)
            .isInstanceOf(JournalCorruptException.class)
            .hasMessageContaining("the index names a record of " + two + " as one of " + one);
      }
    }
  }
}
