package dev.holdfast.http.internal.reply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.PageRange;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class EnvelopeTest {

  /** An item that says when it is written. */
  private static final class Item extends ObjectNode {
    private static final long serialVersionUID = 1L;

    private final transient List<String> events;

    Item(List<String> events) {
      super(JsonNodeFactory.instance);
      this.events = events;
    }

    @Override
    public void serialize(JsonGenerator generator, SerializationContext context) {
      events.add("written");
      super.serialize(generator, context);
    }
  }

  @Test
  void itemIsWrittenBeforeTheNextIsRead() {
    List<String> events = new ArrayList<>();
    Stream<ObjectNode> items =
        IntStream.range(0, 3)
            .mapToObj(
                index -> {
                  events.add("read");
                  return new Item(events);
                });

    Envelope.page(items, PageRange.all(3), 3);

    assertThat(events).containsExactly("read", "written", "read", "written", "read", "written");
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "2, 2", "3, 1", "4, 0", "2147483647, 0"})
  void pageSaysHowManyItemsItHas(int page, int count) {
    Stream<ObjectNode> items = Stream.generate(Json::object).limit(count);

    JsonNode info =
        Json.read(Envelope.page(items, new PageRange(page, 2), 5).body()).get("result_info");

    assertThat(info.get("count").intValue()).isEqualTo(count);
    assertThat(info.get("total_count").intValue()).isEqualTo(5);
    assertThat(info.get("total_pages").intValue()).isEqualTo(3);
  }
}
