package dev.holdfast.backend.sqlite.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.database.ObjectErrors;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the code with the bytes of {@code docs/formats/sqlite-files.md}. */
final class SavedStateTest {

  /** Three pages of 512 bytes: zeros, ones, zeros. */
  private static final String GOLDEN =
      """
      000000000000002a 01 09 0000 00000003 %s 00000001
      00000000 0000000c 30fcedc0 %s 30fcedc0
      """;

  private static String golden() {
    byte[] ones = new byte[512];
    java.util.Arrays.fill(ones, (byte) 1);
    String sum = HexFormat.of().toHexDigits(PageSums.sum(ones, 0, 512));
    String sums = "30fcedc0" + sum + "30fcedc0";
    byte[] bytes = HexFormat.of().parseHex(sums);
    String all = HexFormat.of().toHexDigits(PageSums.sum(bytes, 0, bytes.length));
    return GOLDEN.formatted(all, sum).replaceAll("\\s", "");
  }

  private static PageSums sums() {
    byte[] ones = new byte[512];
    java.util.Arrays.fill(ones, (byte) 1);
    PageSums sums = new PageSums(512, 3);
    sums.set(2, PageSums.sum(ones, 0, 512));
    return sums;
  }

  private static String hex(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void writesTheGoldenBytes() {
    assertThat(hex(sums().save(42).encode())).isEqualTo(golden());
  }

  @Test
  void readsTheGoldenBytes() {
    SavedState state =
        Objects.requireNonNull(
            SavedState.decode(ByteBuffer.wrap(HexFormat.of().parseHex(golden()))));
    assertThat(state.position()).isEqualTo(42);
    assertThat(state.fileBytes()).isEqualTo(3 * 512);
    assertThat(state.checksum()).isEqualTo(sums().checksum());
    assertThat(hex(state.encode())).isEqualTo(golden());
  }

  @Test
  void onlyChunksThatChangedAreWritten() {
    PageSums sums = new PageSums(512, 600);
    assertThat(sums.save(1).chunks()).hasSize(3);
    assertThat(sums.save(2).chunks()).isEmpty();
    sums.set(257, 1);
    assertThat(sums.save(3).chunks()).singleElement().matches(chunk -> chunk.index() == 1);
    sums.resize(300);
    assertThat(sums.save(4).chunks()).singleElement().matches(chunk -> chunk.index() == 1);
    sums.resize(601);
    assertThat(sums.save(5).chunks()).hasSize(2);
    sums.nothingKept();
    assertThat(sums.save(6).chunks()).hasSize(3);
  }

  /** A directory cannot be read by any user; nor can a failing disk. */
  @Test
  void diskThatCannotBeReadIsNotTakenForDamage(@TempDir Path file) {
    SqliteException damage =
        new SqliteException(11, "SQLITE_CORRUPT", "database disk image is malformed", null);
    assertThat(new ObjectErrors(Mark.KEY, file).sqliteFailed("Saving", damage))
        .hasMessageContaining("cannot be read")
        .hasMessageContaining("check the disk")
        .hasMessageContaining(file.toString());
  }

  @Test
  void everyShorterPayloadIsRefused() {
    byte[] whole = HexFormat.of().parseHex(golden());
    for (int length = 0; length < whole.length; length++) {
      ByteBuffer cut = ByteBuffer.wrap(whole, 0, length);
      assertThatIllegalArgumentException().isThrownBy(() -> SavedState.decode(cut));
    }
  }

  @Test
  void markHasItsGoldenBytes() {
    Mark mark = new Mark(0, 5, 0x0102030405060708L);
    assertThat(hex(mark.encode()))
        .isEqualTo("0000000000000005" + "01000000" + "00000000" + "0102030405060708");
    JournalRecord record =
        new JournalRecord(9, 0, RecordKind.CHECKPOINT, 1, Mark.KEY, null, mark.encode());
    assertThat(Mark.isMark(record)).isTrue();
    assertThat(Mark.decode(record)).isEqualTo(new Mark(9, 5, 0x0102030405060708L));
  }

  @Test
  void stateOfTheCatalogHasItsGoldenBytes() {
    CatalogState state = new CatalogState(4_096, 75, 0x01020304, 130);
    assertThat(hex(state.encode()))
        .isEqualTo("0000000000000000" + "020c0000" + "0000004b" + "01020304" + "00000082");
    JournalRecord record =
        new JournalRecord(9, 0, RecordKind.CHECKPOINT, 1, Mark.KEY, null, state.encode());
    assertThat(CatalogState.decode(record)).isEqualTo(state);
    assertThatIllegalArgumentException()
        .as("builds that do not know of states")
        .isThrownBy(() -> Mark.decode(record));
    Marks marks = new Marks(1);
    marks.visit(record);
    assertThat(marks.states()).containsExactly(state);
    assertThat(marks.isEmpty()).isTrue();
  }
}
