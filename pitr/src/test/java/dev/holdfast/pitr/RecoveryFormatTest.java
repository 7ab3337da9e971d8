package dev.holdfast.pitr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** The bytes of {@code docs/formats/recovery.md}. */
class RecoveryFormatTest {

  private static final ObjectKey KEY = new ObjectKey("things", ObjectId.of(new byte[32], null));
  private static final long JOURNAL_ID = 0x0123456789ABCDEFL;

  @Test
  void bookmarkHasTheTextOfTheFormat() {
    String text = new Bookmark(0x1234, 0x56789, /* withNextBatch= */ true).toText(KEY, JOURNAL_ID);
    assertThat(text).startsWith("00000000-12340000-000acf13-").hasSize(59);
    assertThat(text).matches("[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}");
    assertThat(Bookmark.of(text, KEY, JOURNAL_ID)).isEqualTo(new Bookmark(0x1234, 0x56789, true));
  }

  @Test
  void anyChangedCharacterIsNoticed() {
    String text = new Bookmark(7, 99, /* withNextBatch= */ false).toText(KEY, JOURNAL_ID);
    for (int i = 0; i < text.length(); i++) {
      char other = text.charAt(i) == '0' ? '1' : '0';
      String changed = text.substring(0, i) + other + text.substring(i + 1);
      assertThatThrownBy(() -> Bookmark.of(changed, KEY, JOURNAL_ID))
          .isInstanceOf(BookmarkException.class);
    }
    for (String wrong : List.of("", "x", text + "0", text.toUpperCase(java.util.Locale.ROOT))) {
      assertThatThrownBy(() -> Bookmark.of(wrong, KEY, JOURNAL_ID))
          .isInstanceOf(BookmarkException.class);
    }
  }

  @Property
  void textIsOrderedAsMomentsAre(
      @ForAll @LongRange(max = RecoveryBounds.POSITION_MAX) long epoch,
      @ForAll @LongRange(max = RecoveryBounds.POSITION_MAX) long otherEpoch,
      @ForAll @LongRange(max = RecoveryBounds.POSITION_MAX) long position,
      @ForAll @LongRange(max = RecoveryBounds.POSITION_MAX) long otherPosition,
      @ForAll boolean next) {
    String text = new Bookmark(epoch, position, next).toText(KEY, JOURNAL_ID);
    String other = new Bookmark(otherEpoch, otherPosition, false).toText(KEY, JOURNAL_ID);
    int expected = Long.compare(epoch, otherEpoch);
    if (expected == 0) {
      expected = Long.compare(position, otherPosition);
    }
    if (expected == 0) {
      expected = next ? 1 : 0;
    }
    assertThat(Integer.signum(text.compareTo(other))).isEqualTo(expected);
    assertThat(text).isLessThan(Bookmark.endOf(epoch).toText(KEY, JOURNAL_ID));
    assertThat(Bookmark.of(text, KEY, JOURNAL_ID)).isEqualTo(new Bookmark(epoch, position, next));
  }

  @Test
  void recordsHaveTheBytesOfTheFormat() {
    check(
        new RestoreRecord.Requested(new Bookmark(1, 2, true)),
        "0101" + "0000000000000001" + "0000000000000002" + "01");
    check(new RestoreRecord.Withdrawn(), "0102");
    check(new RestoreRecord.NoBatch(258), "0103" + "0000000000000102");
    check(
        new RestoreRecord.Known(
            new ObjectRestores(
                new PendingRestore(9, new Bookmark(3, 4, false)),
                List.of(new DoneRestore(5, 6, new Bookmark(7, 8, true))))),
        "0104"
            + "01"
            + "0000000000000009"
            + "0000000000000003"
            + "0000000000000004"
            + "00"
            + "00000001"
            + "0000000000000005"
            + "0000000000000006"
            + "0000000000000007"
            + "0000000000000008"
            + "01");
  }

  private static void check(RestoreRecord record, String hex) {
    ByteBuffer encoded = record.encode();
    byte[] bytes = new byte[encoded.remaining()];
    encoded.duplicate().get(bytes);
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(hex);
    assertThat(RestoreRecord.decode(encoded)).isEqualTo(record);
    for (int length = 0; length < bytes.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
      assertThatThrownBy(() -> RestoreRecord.decode(cut))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
