package dev.holdfast.operate;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsBoxed;
import dev.holdfast.clone.JsBuffer;
import dev.holdfast.clone.JsDomException;
import dev.holdfast.clone.JsError;
import dev.holdfast.clone.JsInvalidDate;
import dev.holdfast.clone.JsMap;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsRegExp;
import dev.holdfast.clone.JsSet;
import dev.holdfast.clone.JsString;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.clone.JsView;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stored value as JSON has it, with a note of what JSON cannot say.
 *
 * @param tree maps, lists, texts, numbers, booleans and null
 * @param note the places in the value that JSON shows differently; null if the tree is the value
 */
public record ValueTree(@Nullable Object tree, @Nullable String note) {

  private static final int NOTES_MAX = 10;

  /**
   * {@return the tree of a stored value}
   *
   * @param stored the bytes of the value
   */
  public static ValueTree of(byte[] stored) {
    Object value;
    try {
      value = StructuredClone.standard().decode(stored);
    } catch (StructuredCloneException e) {
      return new ValueTree(
          Base64.getEncoder().encodeToString(stored),
          "$ is the stored bytes in base64, because they cannot be read: " + e.getMessage());
    }
    Walk walk = new Walk();
    Object tree = walk.tree("$", value);
    return new ValueTree(tree, walk.note());
  }

  private static final class Walk {

    private final List<String> notes = new ArrayList<>();
    private final Set<Object> open = Collections.newSetFromMap(new IdentityHashMap<>());

    @Nullable String note() {
      if (notes.size() <= NOTES_MAX) {
        return notes.isEmpty() ? null : String.join("; ", notes);
      }
      return String.join("; ", notes.subList(0, NOTES_MAX))
          + "; and "
          + (notes.size() - NOTES_MAX)
          + " more";
    }

    private <T extends @Nullable Object> T noted(String path, String what, T shown) {
      notes.add(path + " is " + what);
      return shown;
    }

    @Nullable Object tree(String path, @Nullable Object value) {
      return switch (value) {
        case null -> null;
        case Boolean flag -> flag;
        case String text -> text;
        case Long number -> number;
        case Double number -> number(path, number);
        case BigInteger number -> noted(path, "a BigInt", number.toString());
        case Instant time -> noted(path, "a Date", time.toString());
        case byte[] bytes -> noted(path, "an ArrayBuffer in base64", base64(bytes));
        case JsBuffer buffer -> noted(path, "an ArrayBuffer in base64", base64(buffer.bytes()));
        case JsView view ->
            noted(path, "a " + view.kind() + " in base64", base64(view.toByteArray()));
        case JsString text -> text.value();
        case JsUndefined _ -> noted(path, "undefined", "undefined");
        case JsInvalidDate _ -> noted(path, "an invalid Date", "Invalid Date");
        case JsRegExp pattern -> noted(path, "a RegExp", pattern.toString());
        case JsBoxed boxed -> noted(path, "an object around this value", tree(path, boxed.value()));
        case JsError error -> noted(path, "an Error", error.toString());
        case JsDomException error ->
            noted(path, "a DOMException", error.name() + ": " + error.message());
        default -> container(path, value);
      };
    }

    private Object number(String path, double number) {
      if (Double.isFinite(number) && !(number == 0 && 1 / number < 0)) {
        return number;
      }
      return noted(path, "a number", number == 0 ? "-0" : Double.toString(number));
    }

    private Object container(String path, Object value) {
      if (!open.add(value)) {
        return noted(path, "a value that contains it", "...");
      }
      try {
        return switch (value) {
          case JsArray array -> list(path, array);
          case JsSet set -> noted(path, "a Set", list(path, set));
          case JsObject object -> object(path, object);
          case JsMap map -> noted(path, "a Map, as pairs", pairs(path, map));
          default -> noted(path, "a " + value.getClass().getSimpleName(), value.toString());
        };
      } finally {
        open.remove(value);
      }
    }

    private List<@Nullable Object> list(String path, Iterable<?> elements) {
      List<@Nullable Object> tree = new ArrayList<>();
      int index = 0;
      for (Object element : elements) {
        tree.add(tree(path + "[" + index++ + "]", element));
      }
      return tree;
    }

    private Map<String, @Nullable Object> object(String path, JsObject object) {
      Map<String, @Nullable Object> tree = new LinkedHashMap<>();
      object.forEach((name, each) -> tree.put(name, tree(path + "." + name, each)));
      return tree;
    }

    private List<@Nullable Object> pairs(String path, JsMap map) {
      List<@Nullable Object> pairs = new ArrayList<>();
      map.forEach(
          (key, each) -> {
            String at = path + "[" + pairs.size() + "]";
            List<@Nullable Object> pair = new ArrayList<>();
            pair.add(tree(at + "[0]", key));
            pair.add(tree(at + "[1]", each));
            pairs.add(pair);
          });
      return pairs;
    }

    private static String base64(byte[] bytes) {
      return Base64.getEncoder().encodeToString(bytes);
    }
  }
}
