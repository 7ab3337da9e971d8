package dev.holdfast.operator.value;

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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Deque;
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

  /** A path in a note is cut behind these characters. */
  private static final int PATH_CHARS_MAX = 200;

  /** JSON is nested no deeper than this in what reads it, either. */
  private static final int DEPTH_MAX = 500;

  /** What a value may show beyond one part, and one character, for each of its bytes. */
  private static final int PARTS_MORE = 10_000;

  private static final int CHARS_MORE = 1 << 20;

  private static final String CUT = "...";

  /**
   * {@return the tree of a stored value} A few bytes can state a long array of holes, or one value
   * in many places, so that the tree would have no end: it is cut then, and the note says so.
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
    Walk walk = new Walk(stored.length);
    Object tree = walk.tree(Place.ROOT, value);
    return new ValueTree(tree, walk.note());
  }

  /**
   * A place in the value; made a text only for a note.
   *
   * @param in the place that has it; null for the value itself
   * @param name of a member; empty if it has an index
   * @param index of an element; -1 if it has a name
   * @param depth how many places have it
   */
  private record Place(@Nullable Place in, String name, long index, int depth) {

    static final Place ROOT = new Place(null, "$", -1, 0);

    Place member(String of) {
      return new Place(this, of, -1, depth + 1);
    }

    Place element(long at) {
      return new Place(this, "", at, depth + 1);
    }

    @Override
    public String toString() {
      Deque<Place> path = new ArrayDeque<>();
      for (Place each = this; each != null; each = each.in) {
        path.push(each);
      }
      StringBuilder text = new StringBuilder();
      for (Place each : path) {
        text.append(each.in == null ? "" : each.index < 0 ? "." : "[" + each.index + "]");
        text.append(each.name, 0, Math.min(each.name.length(), PATH_CHARS_MAX));
        if (text.length() > PATH_CHARS_MAX) {
          return text.substring(0, PATH_CHARS_MAX) + CUT;
        }
      }
      return text.toString();
    }
  }

  private static final class Walk {

    private final List<String> notes = new ArrayList<>();
    private final Set<Object> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private long noted;
    private long parts;
    private long chars;
    private boolean isCut;

    Walk(int bytes) {
      parts = (long) bytes + PARTS_MORE;
      chars = 2L * bytes + CHARS_MORE; // of bytes in base64, too
    }

    @Nullable String note() {
      List<String> sentences = new ArrayList<>(notes);
      if (noted > notes.size()) {
        sentences.add("and " + (noted - notes.size()) + " more");
      }
      if (isCut) {
        sentences.addFirst(
            "the value is cut: it is deeper than "
                + DEPTH_MAX
                + " levels, or shows far more than its bytes, by holes or by parts in several"
                + " places; export the object to see it whole");
      }
      return sentences.isEmpty() ? null : String.join("; ", sentences);
    }

    private <T extends @Nullable Object> T noted(Place place, String what, T shown) {
      noted++;
      if (notes.size() < NOTES_MAX) {
        notes.add(place + " is " + what);
      }
      return shown;
    }

    /** {@return whether there is room for one more part} */
    private boolean hasRoom() {
      boolean hasRoom = parts > 0 && chars > 0;
      isCut |= !hasRoom;
      return hasRoom;
    }

    @Nullable Object tree(Place place, @Nullable Object value) {
      if (!hasRoom()) {
        return CUT;
      }
      parts--;
      return switch (value) {
        case null -> null;
        case Boolean flag -> flag;
        case String text -> text(text);
        case Long number -> number;
        case Double number -> number(place, number);
        case BigInteger number -> noted(place, "a BigInt", text(number.toString()));
        case Instant time -> noted(place, "a Date", time.toString());
        case byte[] bytes -> noted(place, "an ArrayBuffer in base64", base64(bytes));
        case JsBuffer buffer -> noted(place, "an ArrayBuffer in base64", base64(buffer.bytes()));
        case JsView view ->
            noted(place, "a " + view.kind() + " in base64", base64(view.toByteArray()));
        case JsString text -> text(text.value());
        case JsUndefined _ -> noted(place, "undefined", "undefined");
        case JsInvalidDate _ -> noted(place, "an invalid Date", "Invalid Date");
        case JsRegExp pattern -> noted(place, "a RegExp", text(pattern.toString()));
        case JsBoxed boxed ->
            noted(place, "an object around this value", tree(place, boxed.value()));
        case JsError error -> noted(place, "an Error", text(error.toString()));
        case JsDomException error ->
            noted(place, "a DOMException", text(error.name() + ": " + error.message()));
        default -> container(place, value);
      };
    }

    private String text(String text) {
      chars -= text.length();
      return text;
    }

    private Object number(Place place, double number) {
      if (Double.isFinite(number) && !(number == 0 && 1 / number < 0)) {
        return number;
      }
      return noted(place, "a number", number == 0 ? "-0" : Double.toString(number));
    }

    private Object container(Place place, Object value) {
      if (place.depth() >= DEPTH_MAX) {
        isCut = true;
        return CUT;
      }
      if (!open.add(value)) {
        return noted(place, "a value that contains it", CUT);
      }
      try {
        return switch (value) {
          case JsArray array -> list(place, array);
          case JsSet set -> noted(place, "a Set", list(place, set));
          case JsObject object -> object(place, object);
          case JsMap map -> noted(place, "a Map, as pairs", pairs(place, map));
          default -> noted(place, "a " + value.getClass().getSimpleName(), text(value.toString()));
        };
      } finally {
        open.remove(value);
      }
    }

    private List<@Nullable Object> list(Place place, Iterable<?> elements) {
      List<@Nullable Object> tree = new ArrayList<>();
      long index = 0;
      for (Object element : elements) {
        if (!hasRoom()) {
          tree.add(CUT);
          break;
        }
        tree.add(tree(place.element(index++), element));
      }
      return tree;
    }

    private Map<String, @Nullable Object> object(Place place, JsObject object) {
      Map<String, @Nullable Object> tree = new LinkedHashMap<>();
      object.forEach(
          (name, each) -> {
            if (hasRoom()) {
              tree.put(text(name), tree(place.member(name), each));
            }
          });
      return tree;
    }

    private List<@Nullable Object> pairs(Place place, JsMap map) {
      List<@Nullable Object> pairs = new ArrayList<>();
      map.forEach(
          (key, each) -> {
            if (hasRoom()) {
              Place at = place.element(pairs.size());
              List<@Nullable Object> pair = new ArrayList<>();
              pair.add(tree(at.element(0), key));
              pair.add(tree(at.element(1), each));
              pairs.add(pair);
            }
          });
      return pairs;
    }

    private String base64(byte[] bytes) {
      return text(Base64.getEncoder().encodeToString(bytes));
    }
  }
}
