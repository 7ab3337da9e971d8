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
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A part of a stored value, with its type. Immutable.
 *
 * @param type the type, as JavaScript names it
 * @param text the value of a part without members; bytes in hexadecimal digits
 * @param members what the part consists of
 */
public record ValueNode(String type, String text, List<Member> members) {

  static final String NULL = "null";
  static final String BOOLEAN = "boolean";
  static final String NUMBER = "number";
  static final String STRING = "string";
  static final String OBJECT = "object";
  static final String ARRAY = "Array";
  static final String MAP = "Map";
  static final String SET = "Set";
  static final String BUFFER = "ArrayBuffer";
  static final String DATE = "Date";
  static final String BIG_INT = "BigInt";
  static final String REG_EXP = "RegExp";
  static final String UNDEFINED = "undefined";
  static final String INVALID_DATE = "Invalid Date";

  /** Deeper values take the stack of what shows them. */
  private static final int DEPTH_MAX = 100;

  /**
   * A member of a part.
   *
   * @param name its name; empty for an element
   * @param key the key of an entry of a map; null for another member
   * @param value the member
   */
  public record Member(String name, @Nullable ValueNode key, ValueNode value) {}

  /**
   * A whole value.
   *
   * @param root the value
   * @param isCut whether parts of it are missing, because it has too many
   * @param isExact whether the parts say all of it: JSON with types can be made of them, and made
   *     the value again
   */
  public record Whole(ValueNode root, boolean isCut, boolean isExact) {}

  /**
   * {@return the parts of a stored value}
   *
   * @param stored the bytes of the value
   * @param partsMax how many are taken
   */
  public static Whole of(byte[] stored, int partsMax) {
    try {
      return of(StructuredClone.standard().decode(stored), partsMax);
    } catch (StructuredCloneException e) {
      return new Whole(leaf("unreadable bytes", hex(stored)), false, false);
    }
  }

  static Whole of(@Nullable Object value, int partsMax) {
    Walk walk = new Walk(partsMax);
    ValueNode root = walk.node(value, 0);
    return new Whole(root, walk.isCut, walk.isExact && !walk.isCut);
  }

  /** {@return the name that JavaScript has for a view of bytes} */
  static String viewType(JsView.Kind kind) {
    StringBuilder name = new StringBuilder();
    for (String word : kind.name().split("_", -1)) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return kind == JsView.Kind.DATA_VIEW ? name.toString() : name + "Array";
  }

  /** {@return whether another value reads the same; numbers are equal by their value} */
  boolean isAlike(ValueNode other) {
    if (!type.equals(other.type) || members.size() != other.members.size()) {
      return false;
    }
    boolean isSame =
        type.equals(NUMBER)
            ? Double.valueOf(text).equals(Double.valueOf(other.text))
            : text.equals(other.text);
    for (int at = 0; isSame && at < members.size(); at++) {
      Member mine = members.get(at);
      Member its = other.members.get(at);
      isSame =
          mine.name().equals(its.name())
              && mine.value().isAlike(its.value())
              && (mine.key() == null || (its.key() != null && mine.key().isAlike(its.key())));
    }
    return isSame;
  }

  private static ValueNode leaf(String type, String text) {
    return new ValueNode(type, text, List.of());
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static final class Walk {

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int left;
    private boolean isCut;
    private boolean isExact = true;

    Walk(int partsMax) {
      left = partsMax;
    }

    ValueNode node(@Nullable Object value, int depth) {
      if (left <= 0 || depth > DEPTH_MAX) {
        isCut = true;
        return leaf("cut", "...");
      }
      left--;
      return switch (value) {
        case null -> leaf(NULL, NULL);
        case Boolean flag -> leaf(BOOLEAN, flag.toString());
        case String text -> leaf(STRING, text);
        case JsString text -> leaf(STRING, text.value());
        case Double number when number == 0 && 1 / number < 0 -> leaf(NUMBER, "-0");
        case Number number when !(number instanceof BigInteger) -> leaf(NUMBER, number.toString());
        case BigInteger number -> leaf(BIG_INT, number.toString());
        case Instant time -> leaf(DATE, time.toString());
        case JsInvalidDate _ -> leaf(DATE, INVALID_DATE);
        case JsUndefined _ -> leaf(UNDEFINED, UNDEFINED);
        case JsRegExp pattern -> leaf(REG_EXP, pattern.toString());
        case byte[] bytes -> once(bytes, leaf(BUFFER, hex(bytes)));
        case JsBuffer buffer -> once(buffer, inexact(leaf(BUFFER, hex(buffer.bytes()))));
        case JsView view -> view(view);
        case JsBoxed boxed -> inexact(boxed(boxed, depth));
        case JsError error -> inexact(leaf("Error", error.toString()));
        case JsDomException error ->
            inexact(leaf("DOMException", error.name() + ": " + error.message()));
        default -> container(value, depth);
      };
    }

    private ValueNode view(JsView view) {
      JsBuffer buffer = view.buffer();
      boolean isWhole = view.byteLength() == buffer.bytes().length && !buffer.isResizable();
      ValueNode node = leaf(viewType(view.kind()), hex(view.toByteArray()));
      return once(buffer, isWhole ? node : inexact(node));
    }

    private ValueNode boxed(JsBoxed boxed, int depth) {
      ValueNode of = node(boxed.value(), depth + 1);
      return new ValueNode("object around a " + of.type(), of.text(), of.members());
    }

    private ValueNode inexact(ValueNode node) {
      isExact = false;
      return node;
    }

    /** JSON has no second place for the same object. */
    private ValueNode once(Object value, ValueNode node) {
      isExact &= seen.add(value);
      return node;
    }

    private ValueNode container(Object value, int depth) {
      if (!seen.add(value)) {
        return inexact(leaf("reference", "the same object as in another place"));
      }
      List<Member> members = new ArrayList<>();
      String type =
          switch (value) {
            case JsArray array -> {
              isExact &= array.entryCount() == array.length() && array.properties().isEmpty();
              elements(array, depth, members);
              yield ARRAY;
            }
            case JsSet set -> {
              elements(set, depth, members);
              yield SET;
            }
            case JsObject object -> {
              for (var each : object.entrySet()) {
                if (isFull()) {
                  break;
                }
                members.add(new Member(each.getKey(), null, node(each.getValue(), depth + 1)));
              }
              yield OBJECT;
            }
            case JsMap map -> {
              for (var each : map.entrySet()) {
                if (isFull()) {
                  break;
                }
                ValueNode key = node(each.getKey(), depth + 1);
                members.add(new Member("", key, node(each.getValue(), depth + 1)));
              }
              yield MAP;
            }
            default -> inexact(leaf(value.getClass().getSimpleName(), value.toString())).type();
          };
      return new ValueNode(type, "", List.copyOf(members));
    }

    /** Few bytes can state a long array of holes. */
    private boolean isFull() {
      isCut |= left <= 0;
      return left <= 0;
    }

    private void elements(Iterable<?> elements, int depth, List<Member> members) {
      for (Object each : elements) {
        if (isFull()) {
          break;
        }
        members.add(new Member("", null, node(each, depth + 1)));
      }
    }
  }
}
