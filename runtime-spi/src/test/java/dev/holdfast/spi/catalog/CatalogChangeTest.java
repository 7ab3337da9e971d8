package dev.holdfast.spi.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.filter.Headers;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.AlarmRecord.State;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compares the code with the bytes of {@code docs/formats/catalog.md}. */
final class CatalogChangeTest {

  private static final AlarmRecord OWN = new AlarmRecord("", State.PENDING, 258, 257, 2, "");
  private static final AlarmRecord NAMED =
      new AlarmRecord("n", State.ABANDONED, 4, 3, 300, "every");

  private static final String OWN_BYTES = "00 01 0000000000000102 0000000000000101 02 00";
  private static final String NAMED_BYTES =
      "01 6e 02 0000000000000004 0000000000000003 ac02 05 6576657279";

  @Test
  void alarmsWithoutHeadersHaveTheBytesOfEarlierBuilds() {
    requireBytes(
        new CatalogChange(true, "é", new CatalogChange.Alarms(List.of(OWN, NAMED), List.of(OWN))),
        "01 07 02 c3a9 | 02 " + OWN_BYTES + NAMED_BYTES + " | 01 " + OWN_BYTES);
    requireBytes(new CatalogChange(true, "n", null), "01 03 01 6e");
    requireBytes(new CatalogChange(false, null, null), "01 00");
  }

  @Test
  void headersFollowEachAlarm() {
    Headers headers = Headers.of("a", "é").with("bc", "").keep("a").keep("bc");
    requireBytes(
        new CatalogChange(
            true,
            null,
            new CatalogChange.Alarms(List.of(OWN.withHeaders(headers), NAMED), List.of(OWN))),
        "01 0d | 02 "
            + OWN_BYTES
            + " 0d 0001 61 0002 c3a9 0002 6263 0000"
            + NAMED_BYTES
            + " 00 | 01 "
            + OWN_BYTES
            + " 00");
  }

  @Test
  void headersOfTheStateBeforeAreWritten() {
    Headers headers = Headers.of("a", "b").keep("a");
    requireBytes(
        new CatalogChange(
            true, null, new CatalogChange.Alarms(List.of(), List.of(OWN.withHeaders(headers)))),
        "01 0d | 00 | 01 " + OWN_BYTES + " 06 0001 61 0001 62");
  }

  @Test
  void whatIsNoChangeIsRefusedWithTheReason() {
    refuses("02 00", "version 2");
    refuses("01 10", "flags 16");
    refuses("01 09", "flags 9"); // headers without alarms
    refuses("01 03 05 6e", "ends too early");
    refuses("01 00 00", "1 bytes after");
    refuses("01 0d | 01 " + OWN_BYTES + " 03 0001 61 | 00", "headers of an alarm that end");
    refuses("01 0d | 01 " + OWN_BYTES + " 05 0001 61 0001 | 00", "headers of an alarm that end");
    refuses("01 0d | 01 " + OWN_BYTES + " 05 0001 41 0000 | 00", "token in lower case");
  }

  private static void requireBytes(CatalogChange change, String hex) {
    assertThat(HexFormat.of().formatHex(change.encode())).isEqualTo(compact(hex));
    assertThat(CatalogChange.decode(bytes(hex))).isEqualTo(change);
  }

  private static void refuses(String hex, String reason) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CatalogChange.decode(bytes(hex)))
        .withMessageContaining(reason);
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(compact(hex)));
  }

  private static String compact(String hex) {
    return hex.replaceAll("[ |]", "");
  }
}
