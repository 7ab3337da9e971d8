package dev.holdfast.console.object;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.value.TypedJson;
import dev.holdfast.operator.value.ValueNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key of an object and its value: as a tree with the types, and as JSON to be edited. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param key the key
 * @param bytes the size of the stored value
 * @param tree the value; null if values are hidden
 * @param isCut whether the tree lacks parts, because there are too many
 * @param json the value as JSON with types; null if that cannot say all of it, or values are hidden
 * @param isEditable whether the JSON is short enough for a form
 */
public record KeyValue(
    PageFrame frame,
    OneObject.Address address,
    String key,
    String bytes,
    @Nullable ValueNode tree,
    boolean isCut,
    @Nullable String json,
    boolean isEditable) {

  private static final int NODES_MAX = 1_000;
  private static final int FORM_CHARS_MAX = 60_000;

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param key the key
   * @return the page
   * @throws PageException if there is no such key, or the runtime does not answer
   */
  public static KeyValue read(
      PageFrame frame, Source source, OneObject.Address address, String key) {
    Map<String, @Nullable Object> pair = source.ask(address.ask("get").with("key", key), 1).one();
    String bytes = Text.bytes(pair.get("bytes"));
    if (frame.isRedacted() || !(pair.get("value") instanceof byte[] stored)) {
      return new KeyValue(frame, address, key, bytes, null, false, null, false);
    }
    ValueNode.Whole shown = ValueNode.of(stored, NODES_MAX);
    String json = json(stored);
    boolean isShort = json != null && json.length() <= FORM_CHARS_MAX;
    return new KeyValue(frame, address, key, bytes, shown.root(), shown.isCut(), json, isShort);
  }

  /**
   * {@return a whole value as JSON with types; null if that cannot say all of it}
   *
   * @param stored the stored value
   */
  public static @Nullable String json(byte[] stored) {
    return TypedJson.write(ValueNode.of(stored, stored.length + NODES_MAX));
  }
}
