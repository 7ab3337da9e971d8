package dev.holdfast.backend.rocksdb.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.backend.rocksdb.batch.Batch.Form;
import dev.holdfast.spi.catalog.CatalogChange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Holds the code to {@code docs/formats/rocksdb-batch.md}. */
final class GoldenRocksDbBatchTest {

  @Test
  void changesAreWrittenWithRedoAndUndo() {
    Batch batch =
        new Batch(
            Form.CHANGES,
            List.of(change("", null, "old"), change("a", "new", "old"), change("b", "", null)));

    requireBytes(batch, "01 01 03 | 02 00 03 6f6c64 | 03 01 61 03 6e6577 03 6f6c64 | 01 01 62 00");
  }

  @Test
  void clearListsOnlyWhatWasPutAfterwards() {
    requireBytes(new Batch(Form.CLEAR, List.of()), "01 02 00");
    requireBytes(
        new Batch(Form.CHANGES, List.of(), new CatalogChange(true, "n", null)),
        "01 11 00 | 04 01 03 01 6e");
    requireBytes(
        new Batch(Form.CLEAR, List.of(change("k", "v", null))), "01 02 01 | 01 01 6b 01 76");
  }

  @Test
  void partOfAnUndoListsOnlyWhatWasThere() {
    requireBytes(
        new Batch(Form.UNDO_PART, List.of(change("k", null, "v"))), "01 03 01 | 02 01 6b 01 76");
  }

  @Test
  void batchInPartsSaysWhereTheyBegin() {
    requireBytes(
        new Batch(Form.PART, List.of(change("a", "v", null), change("b", null, "w"))),
        "01 04 02 | 01 01 61 01 76 | 02 01 62 01 77");
    requireBytes(new Batch(258, null), "01 05 00 | 0000000000000102");
    requireBytes(
        new Batch(258, new CatalogChange(true, "n", null)),
        "01 15 00 | 0000000000000102 | 04 01 03 01 6e");
  }

  @Test
  void lengthsAreVarints() {
    String key = "k".repeat(128);
    String hex = "01 01 01 | 01 8001 " + "6b".repeat(128) + " 00";

    requireBytes(new Batch(Form.CHANGES, List.of(change(key, "", null))), hex);
  }

  @Test
  void changeWithNeitherRedoNorUndoIsRead() {
    // Deletes a missing key: nothing writes it, and it is no error.
    assertThat(Batch.decode(bytes("01 01 01 00 01 6b")).changes()).hasSize(1);
  }

  @Test
  void whatIsNoBatchIsRefusedWithTheReason() {
    refuses("", "ends before the version");
    refuses("02 01 00", "version 2, this program knows 1");
    refuses("01 00 00", "form 0");
    refuses("01 06 00", "form 6");
    refuses("01 05 00 00", "ends before the position of the first part");
    refuses("01 05 01 01 01 6b 01 76", "in a change of form IN_PARTS");
    refuses("01 01", "ends before the number of changes");
    refuses("01 01 01", "ends before the change");
    refuses("01 01 01 04 01 6b", "bits 4");
    refuses("01 02 01 02 01 6b 00", "bits 2 in a change of form CLEAR");
    refuses("01 03 01 01 01 6b 00", "bits 1 in a change of form UNDO_PART");
    refuses("01 01 01 01 05 6b", "key of 5 bytes, 1 are left");
    refuses("01 01 01 01 01 6b ffffffffff01", "length of the redo is larger than 2^31-1");
    refuses("01 01 01 01 01 6b ffffffff0f", "length of the redo is larger than 2^31-1");
    refuses("01 01 02 01 01 6b 00 01 01 6b 00", "keys out of order");
    refuses("01 01 00 00", "1 bytes after the last change");
  }

  @Test
  void damagedCountAllocatesNoMoreThanThePayloadCanHold() {
    refuses("01 01 ffffffff07", "ends before the change");
  }

  private static void requireBytes(Batch batch, String hex) {
    assertThat(batch.encode()).isEqualTo(bytes(hex));
    Batch read = Batch.decode(bytes(hex));
    assertThat(read.form()).isEqualTo(batch.form());
    assertThat(read.firstPart()).isEqualTo(batch.firstPart());
    assertThat(read.changes()).usingRecursiveComparison().isEqualTo(batch.changes());
  }

  private static void refuses(String hex, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Batch.decode(bytes(hex)))
        .withMessageContaining(reason);
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replaceAll("[ |]", "")));
  }

  private static Change change(String key, @Nullable String redo, @Nullable String undo) {
    return new Change(key.getBytes(StandardCharsets.UTF_8), utf8(redo), utf8(undo));
  }

  private static byte @Nullable [] utf8(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
