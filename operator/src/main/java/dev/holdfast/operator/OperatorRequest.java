package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import java.math.BigInteger;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for an operation. Immutable.
 *
 * @param verb the name of the operation
 * @param arguments texts, numbers and booleans by name
 */
public record OperatorRequest(String verb, Map<String, @Nullable Object> arguments) {

  /** Times beyond have no number of milliseconds. */
  private static final Instant EARLIEST = Instant.ofEpochMilli(Long.MIN_VALUE);

  private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);

  /** Copies the arguments. */
  public OperatorRequest {
    arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
  }

  /**
   * {@return a request without arguments}
   *
   * @param verb the name of the operation
   */
  public static OperatorRequest of(String verb) {
    return new OperatorRequest(verb, Map.of());
  }

  /**
   * {@return this request with one more argument}
   *
   * @param name the name of the argument
   * @param value a text, number or boolean; null leaves the argument out
   */
  public OperatorRequest with(String name, @Nullable Object value) {
    if (value == null) {
      return this;
    }
    Map<String, @Nullable Object> more = new LinkedHashMap<>(arguments);
    more.put(name, value);
    return new OperatorRequest(verb, more);
  }

  @Nullable String textOrNull(String name) {
    Object value = arguments.get(name);
    if (value != null && !(value instanceof String)) {
      throw wrong("The argument " + name + " is not a text");
    }
    return (String) value;
  }

  /**
   * {@return a text}
   *
   * @param name the name of the argument
   * @throws OperatorException if it is missing, or is not text
   */
  public String text(String name) {
    String text = textOrNull(name);
    if (text == null) {
      throw wrong("The argument " + name + " is missing");
    }
    return text;
  }

  /**
   * {@return a whole number}
   *
   * @param name the name of the argument
   * @param otherwise what is returned if it is missing
   * @throws OperatorException if it is not a whole number
   */
  public long number(String name, long otherwise) {
    return switch (arguments.get(name)) {
      case null -> otherwise;
      case Long number -> number;
      case Integer number -> number;
      // What a connection makes of a long beyond 2^53.
      case BigInteger number when number.bitLength() < Long.SIZE -> number.longValue();
      default -> throw wrong("The argument " + name + " is not a whole number");
    };
  }

  /**
   * {@return how many answers are wanted at most}
   *
   * @param otherwise what is returned if the argument {@code limit} is missing
   * @param max what is returned if it is larger
   * @throws OperatorException if it is not a number from 1 on
   */
  public int limit(long otherwise, int max) {
    long limit = number("limit", otherwise);
    if (limit < 1) {
      throw wrong("The argument limit is " + limit + ", and counts from 1");
    }
    return (int) Math.min(limit, max);
  }

  /** {@return whether it says how many answers are wanted at most} */
  boolean hasLimit() {
    return arguments.containsKey("limit");
  }

  /**
   * {@return a time}
   *
   * @throws OperatorException if it is missing, or is not a time in UTC
   */
  Instant time(String name) {
    String text = text(name);
    try {
      Instant found = Instant.parse(text);
      if (found.isAfter(EARLIEST) && found.isBefore(LATEST)) {
        return found;
      }
      throw wrongTime(text, null);
    } catch (DateTimeParseException e) {
      throw wrongTime(text, e);
    }
  }

  private static OperatorException wrongTime(String text, @Nullable Throwable cause) {
    return new OperatorException(
        Reason.WRONG_REQUEST,
        "\"" + text + "\" is not a time; name one in UTC such as 2026-11-23T09:30:00Z.",
        cause);
  }

  /**
   * {@return whether an argument is true}
   *
   * @param name the argument
   */
  public boolean isSet(String name) {
    return Boolean.TRUE.equals(arguments.get(name));
  }

  private OperatorException wrong(String what) {
    return new OperatorException(Reason.WRONG_REQUEST, what + ", in a request for " + verb + ".");
  }

  /**
   * {@return the verb and the objects or the path that it is about, for the log; no value and no
   * statement}
   */
  String toLogText() {
    StringBuilder text = new StringBuilder(verb);
    for (String name :
        new String[] {
          "namespace",
          "object",
          "key",
          "alarm",
          "shard",
          "bookmark",
          "to",
          "name",
          "file",
          "method",
          "path",
          "topic",
          "consumer"
        }) {
      Object value = arguments.get(name);
      if (value != null) {
        text.append(' ').append(name).append('=').append(printable(value.toString()));
      }
    }
    return text.toString();
  }

  /** A name may hold anything; a line of the log must stay one line of a bounded length. */
  private static String printable(String text) {
    String line = text.replaceAll("\\p{C}", "?");
    return line.length() <= 200 ? line : line.substring(0, 200) + "...";
  }
}
