package dev.holdfast.backend.sqlite.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.backend.sqlite.wal.BatchWriter.Image;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Compares the code with the bytes of {@code docs/formats/sqlite-batch.md}. */
final class GoldenBatchTest {

  private static final int PAGE_BYTES = 512;

  /** One entry of each kind; every field on a line of its own. */
  private static final String GOLDEN =
      """
      01 09 0000 00000006 00000005 00000004
      00000002 15 000000
        0002 000a0001 01ff0000  b1b2 b3
        a1a2 00
      00000003 07 000000
        0001 00000003  c1c2c3c4
        0001 00010000  77
      00000007 03 000000
        0001 01fe0001  d1d2
      00000006 0c 000000
        0001 00640000  e1
      """;

  @Test
  void writesTheGoldenBytes() {
    BatchWriter writer = new BatchWriter();
    writer.begin(PAGE_BYTES, 6, 5);
    writer.changed(2, image(page(10, 0xA1, 0xA2)), image(set(page(10, 0xB1, 0xB2), 511, 0xB3)));
    writer.firstChanged(
        3, image(page(0, 0xC1, 0x77, 0xC3, 0xC4)), image(page(0, 0xC1, 0xC2, 0xC3, 0xC4)));
    writer.added(7, image(page(510, 0xD1, 0xD2)));
    writer.cutOff(6, image(page(100, 0xE1)));

    assertThat(hex(writer.finish())).isEqualTo(GOLDEN.replaceAll("\\s", ""));
  }

  @Test
  void catalogChangeIsInFrontOfTheEntries() {
    String golden =
        """
        01 09 0100 00000001 00000002 00000001
        00000004 01 03 01 6e
        00000002 03 000000
          0001 01fe0001  d1d2
        """
            .replaceAll("\\s", "");
    CatalogChange change = new CatalogChange(true, "n", null);
    BatchWriter writer = new BatchWriter();
    writer.begin(PAGE_BYTES, 1, 2);
    writer.catalogChange(change.encode());
    writer.added(2, image(page(510, 0xD1, 0xD2)));

    assertThat(hex(writer.finish())).isEqualTo(golden);
    BatchReader batch = new BatchReader(ByteBuffer.wrap(HexFormat.of().parseHex(golden)));
    assertThat(batch.catalogChange()).isEqualTo(change);
    assertThat(batch.next()).isTrue();
    assertThat(batch.page()).isEqualTo(2);
    assertThat(batch.next()).isFalse();
  }

  @Test
  void readsTheGoldenBytes() {
    BatchReader batch = new BatchReader(golden());
    assertThat(batch.pageBytes()).isEqualTo(PAGE_BYTES);
    assertThat(batch.pagesBefore()).isEqualTo(6);
    assertThat(batch.pagesAfter()).isEqualTo(5);

    assertThat(batch.next()).isTrue();
    assertThat(batch.page()).isEqualTo(2);
    assertThat(batch.redoIsWhole()).isFalse();
    byte[] changed = page(10, 0xA1, 0xA2);
    batch.redo(changed);
    assertThat(changed).isEqualTo(set(page(10, 0xB1, 0xB2), 511, 0xB3));
    batch.undo(changed);
    assertThat(changed).isEqualTo(page(10, 0xA1, 0xA2));

    assertThat(batch.next()).isTrue();
    assertThat(batch.redoIsWhole()).isTrue();
    byte[] first = filled(0x55);
    batch.redo(first);
    assertThat(first).isEqualTo(page(0, 0xC1, 0xC2, 0xC3, 0xC4));
    batch.undo(first);
    assertThat(first).isEqualTo(page(0, 0xC1, 0x77, 0xC3, 0xC4));

    assertThat(batch.next()).isTrue();
    assertThat(batch.hasUndo()).isFalse();

    assertThat(batch.next()).isTrue();
    assertThat(batch.hasRedo()).isFalse();
    byte[] cutOff = filled(0x55);
    batch.undo(cutOff);
    assertThat(cutOff).isEqualTo(page(100, 0xE1));

    assertThat(batch.next()).isFalse();
  }

  @Test
  void everyShorterPayloadIsRefused() {
    byte[] whole = bytes(golden());
    for (int length = 0; length < whole.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(whole, 0, length);
      assertThatIllegalArgumentException().isThrownBy(() -> readAll(cut));
    }
  }

  @Test
  void damagedPayloadNeverWritesOutsideOfAPage() {
    byte[] whole = bytes(golden());
    for (int at = 0; at < whole.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = whole.clone();
        damaged[at] ^= (byte) (1 << bit);
        try {
          readAll(ByteBuffer.wrap(damaged));
        } catch (IllegalArgumentException e) {
          assertThat(e).hasMessageContaining("not a SQLite batch");
        }
      }
    }
  }

  private static void readAll(ByteBuffer payload) {
    BatchReader batch = new BatchReader(payload);
    byte[] image = new byte[batch.pageBytes()];
    while (batch.next()) {
      batch.redo(image);
      batch.undo(image);
    }
  }

  private static ByteBuffer golden() {
    return ByteBuffer.wrap(HexFormat.of().parseHex(GOLDEN.replaceAll("\\s", "")));
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  private static String hex(ByteBuffer buffer) {
    return HexFormat.of().formatHex(bytes(buffer));
  }

  private static Image image(byte[] page) {
    return new Image(page, 0);
  }

  private static byte[] page(int offset, int... values) {
    byte[] page = new byte[PAGE_BYTES];
    for (int index = 0; index < values.length; index++) {
      page[offset + index] = (byte) values[index];
    }
    return page;
  }

  private static byte[] set(byte[] page, int offset, int value) {
    page[offset] = (byte) value;
    return page;
  }

  private static byte[] filled(int value) {
    byte[] page = new byte[PAGE_BYTES];
    Arrays.fill(page, (byte) value);
    return page;
  }
}
