package dev.holdfast.cluster;

import dev.holdfast.ObjectContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Returns what it is given, and the classes that it was given. */
public interface Echo {

  /** A value. */
  record Item(String name, int count) {}

  /** An exception that no method declares, with state. */
  final class SoldOutException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String item;

    @SuppressWarnings("serial") // only its fields travel
    private final List<Integer> left;

    /** Creates the exception. */
    public SoldOutException(
        @dev.holdfast.value.Name("item") String item,
        @dev.holdfast.value.Name("left") List<Integer> left) {
      super(item + " is sold out");
      this.item = item;
      this.left = left;
    }

    /** Returns the item. */
    public String item() {
      return item;
    }

    /** Returns what is left. */
    public List<Integer> left() {
      return left;
    }
  }

  /** An exception of the usual form that no method declares. */
  final class ClosedException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public ClosedException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** An exception that nobody can make from what it says. */
  final class OddException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Object reason;

    private OddException(Object reason) {
      super("odd");
      this.reason = reason;
    }

    /** Returns the reason. */
    public Object reason() {
      return reason;
    }
  }

  /** Returns an untyped value. */
  Object any(Object value);

  /** Returns a map. */
  Map<String, Object> map(Map<String, Object> value);

  /** Returns a number. */
  Number number(Number value);

  /** Returns a list. */
  List<Item> items(List<Item> value);

  /** Returns the classes of a value, as the object has it. */
  String classes(Object value);

  /** Throws an exception. */
  void fail(String which);

  /** The object. */
  record EchoObject(ObjectContext context) implements Echo {

    @Override
    public Object any(Object value) {
      return value;
    }

    @Override
    public Map<String, Object> map(Map<String, Object> value) {
      return value;
    }

    @Override
    public Number number(Number value) {
      return value;
    }

    @Override
    public List<Item> items(List<Item> value) {
      return List.copyOf(value);
    }

    @Override
    public String classes(Object value) {
      return Echo.described(value);
    }

    @Override
    public void fail(String which) {
      throw switch (which) {
        case "fields" -> new SoldOutException("nut", new ArrayList<>(List.of(1, 2)));
        case "usual" -> new ClosedException("closed", new OddException(1));
        default -> new OddException(which);
      };
    }
  }

  /** Describes the classes of a value and of what is in it. */
  static String described(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Map<?, ?> map -> {
        StringBuilder text = new StringBuilder(map.getClass().getSimpleName());
        map.forEach(
            (key, each) -> text.append(' ').append(key).append('=').append(described(each)));
        yield text.toString();
      }
      case List<?> list ->
          list.getClass().getSimpleName() + list.stream().map(Echo::described).toList();
      default -> value.getClass().getSimpleName();
    };
  }
}
