package dev.holdfast.runtime.internal.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The records are those of {@code docs/formats/events.md}, byte for byte. */
final class GoldenEventRecordTest {

  private static final HexFormat HEX = HexFormat.of();

  private static final String EVENTS =
      "01"
          + "00000002"
          + "06"
          + "6f7264657273"
          + "00000003"
          + "616263"
          + "02"
          + "c3bc"
          + "00000000";

  private static final String AT_PLACE =
      "01" + "01" + "06" + "6f7264657273" + "05" + "696e646578" + "000000000000012c" + "00000002";

  private static final String REMOVED = "01" + "00" + "06" + "6f7264657273" + "05" + "696e646578";

  private static final ConsumerName NAME = new ConsumerName("orders", "index");

  @Test
  void eventsAreWrittenAndReadAsTheFormatSays() {
    TurnEvents events = new TurnEvents(new ObjectKey("things", ObjectId.of(new byte[32], null)));
    events.add("orders", "abc".getBytes(UTF_8));
    events.add("ü", new byte[0]);
    events.add("dropped", new byte[9]);
    events.cutTo(2);
    assertThat(hex(events.encode())).isEqualTo(EVENTS);
    List<PendingEvent> read = EventRecord.decode(bytes(EVENTS));
    assertThat(read).extracting(PendingEvent::topic).containsExactly("orders", "ü");
    assertThat(read.getFirst().value()).isEqualTo("abc".getBytes(UTF_8));
    assertThat(read.getLast().value()).isEmpty();
  }

  @Test
  void placesAreWrittenAndReadAsTheFormatSays() {
    ConsumerRecord place = new ConsumerRecord(NAME, new EventPlace(300, 2));
    assertThat(hex(place.encode())).isEqualTo(AT_PLACE);
    assertThat(ConsumerRecord.decode(bytes(AT_PLACE))).isEqualTo(place);
    ConsumerRecord removed = new ConsumerRecord(NAME, null);
    assertThat(hex(removed.encode())).isEqualTo(REMOVED);
    assertThat(ConsumerRecord.decode(bytes(REMOVED))).isEqualTo(removed);
  }

  @Test
  void everyOtherLengthAndVersionIsRefused() {
    for (String golden : List.of(EVENTS, AT_PLACE, REMOVED)) {
      for (int length = 0; length < golden.length(); length += 2) {
        requireRefused(golden, golden.substring(0, length));
      }
      requireRefused(golden, golden + "00");
      requireRefused(golden, "02" + golden.substring(2));
    }
    requireRefused(EVENTS, "01" + "00000000");
    requireRefused(EVENTS, "01" + "ffffffff" + EVENTS.substring(10));
    requireRefused(EVENTS, EVENTS.replace("00000003", "fffffff0"));
    requireRefused(AT_PLACE, "0102" + AT_PLACE.substring(4));
  }

  private static void requireRefused(String golden, String damaged) {
    assertThatThrownBy(
            () -> {
              if (golden.equals(EVENTS)) {
                EventRecord.decode(bytes(damaged));
              } else {
                ConsumerRecord.decode(bytes(damaged));
              }
            })
        .as(damaged)
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String hex(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return HEX.formatHex(bytes);
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HEX.parseHex(hex));
  }
}
