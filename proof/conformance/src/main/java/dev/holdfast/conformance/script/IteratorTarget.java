package dev.holdfast.conformance.script;

import dev.holdfast.clone.JsArray;
import dev.holdfast.clone.JsObject;
import dev.holdfast.clone.JsUndefined;
import dev.holdfast.conformance.value.Shown;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An iterator with JavaScript's methods. */
final class IteratorTarget implements Target, Iterator<@Nullable Object> {

  private static final Set<String> METHODS =
      Set.of(
          "next", "toArray", "take", "drop", "map", "filter", "flatMap", "reduce", "forEach",
          "some", "every", "find");

  private final String name;
  private final Iterator<@Nullable Object> elements;
  private final @Nullable CursorTarget cursor;

  /**
   * Wraps an iterator.
   *
   * @param name its class
   * @param elements the source of the elements
   * @param cursor the cursor whose position it shares, for its counters; null for none
   */
  IteratorTarget(String name, Iterator<@Nullable Object> elements, @Nullable CursorTarget cursor) {
    this.name = name;
    this.elements = elements;
    this.cursor = cursor;
  }

  @Nullable CursorTarget cursor() {
    return cursor;
  }

  Shown shown() {
    return Shown.object(name);
  }

  @Override
  public boolean hasNext() {
    return elements.hasNext();
  }

  @Override
  public @Nullable Object next() {
    return elements.next();
  }

  @Override
  public @Nullable Object call(
      String method, List<@Nullable Object> arguments, @Nullable Closure closure) {
    return call(this, method, arguments, cursor);
  }

  @Override
  public @Nullable Object property(String property) {
    return METHODS.contains(property) ? Shown.object("function") : JsUndefined.UNDEFINED;
  }

  /** The methods that cursors and iterators share. */
  static @Nullable Object call(
      Iterator<@Nullable Object> elements,
      String method,
      List<@Nullable Object> arguments,
      @Nullable CursorTarget cursor) {
    return switch (method) {
      case "next" -> next(elements);
      case "toArray" -> all(elements);
      case "take" ->
          new IteratorTarget("Iterator Helper", taken(elements, amount(arguments)), cursor);
      case "drop" ->
          new IteratorTarget("Iterator Helper", dropped(elements, amount(arguments)), cursor);
      default -> throw Target.noSuchMethod(method);
    };
  }

  static JsArray all(Iterator<@Nullable Object> elements) {
    JsArray array = new JsArray();
    elements.forEachRemaining(array::add);
    return array;
  }

  static JsArray first(Iterator<@Nullable Object> elements, int count) {
    JsArray array = new JsArray();
    while (array.size() < count && elements.hasNext()) {
      array.add(elements.next());
    }
    return array;
  }

  private static JsObject next(Iterator<@Nullable Object> elements) {
    JsObject result = new JsObject();
    boolean done = !elements.hasNext();
    result.put("done", done);
    result.put("value", done ? JsUndefined.UNDEFINED : elements.next());
    return result;
  }

  private static int amount(List<@Nullable Object> arguments) {
    return Conversions.int32(Target.argument(arguments, 0));
  }

  private static Iterator<@Nullable Object> taken(Iterator<@Nullable Object> elements, int count) {
    return new Iterator<>() {
      private int left = count;

      @Override
      public boolean hasNext() {
        return left > 0 && elements.hasNext();
      }

      @Override
      public @Nullable Object next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        left--;
        return elements.next();
      }
    };
  }

  private static Iterator<@Nullable Object> dropped(
      Iterator<@Nullable Object> elements, int count) {
    return new Iterator<>() {
      private int left = count;

      @Override
      public boolean hasNext() {
        while (left > 0 && elements.hasNext()) {
          elements.next();
          left--;
        }
        return elements.hasNext();
      }

      @Override
      public @Nullable Object next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return elements.next();
      }
    };
  }
}
