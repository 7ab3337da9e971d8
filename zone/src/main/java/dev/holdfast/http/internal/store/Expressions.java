package dev.holdfast.http.internal.store;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterSyntaxException;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The expressions of a zone, compiled once and cached by their text. The cache affects only speed.
 * Owned by the zone's turn.
 */
public final class Expressions {

  /** Compiled expressions that a zone keeps in memory. */
  private static final int KEPT_MAX = 1_000;

  private final ZoneStore store;
  private final Map<Key, FilterExpression> kept = new HashMap<>();

  private record Key(String text, boolean isLenient) {}

  /**
   * Creates an empty cache.
   *
   * @param store has the entitlements of the zone
   */
  public Expressions(ZoneStore store) {
    this.store = store;
  }

  /**
   * {@return a stored expression, which may predate the bound on regular expressions}
   *
   * @param text the expression
   * @param isLenient whether hosts may be written without quotes
   */
  public static FilterExpression stored(String text, boolean isLenient) {
    try {
      return FilterExpression.parseStored(text, isLenient);
    } catch (FilterSyntaxException e) {
      throw new IllegalStateException("a stored expression is malformed: " + text, e);
    }
  }

  /**
   * {@return the error for an expression that takes too much work with a request}
   *
   * @param owner names the expression
   * @param failure says what takes the work
   */
  public static RefusedException tooMuchWork(String owner, RuntimeException failure) {
    String message = "the expression of " + owner + ": " + failure.getMessage();
    return new RefusedException(new RefusalDetail(10106, message));
  }

  /**
   * Checks an expression that was sent.
   *
   * @param text the expression
   * @param isLenient whether hosts may be written without quotes
   * @param prefix the text before the description of the mistake
   * @param code the code of the error
   * @param pointer the position the expression was
   * @throws RefusedException if it is wrong, or uses features to which the zone is not entitled
   */
  public void check(String text, boolean isLenient, String prefix, int code, String pointer) {
    String wrong = mistake(text, isLenient);
    if (wrong != null) {
      throw RefusedException.wrong(code, prefix + wrong, pointer);
    }
  }

  /**
   * {@return the mistake in an expression, or null}
   *
   * @param text the expression
   * @param isLenient whether hosts may be written without quotes
   */
  public @Nullable String mistake(String text, boolean isLenient) {
    try {
      FilterExpression compiled = compile(text, isLenient);
      if (compiled.usesRegex() && !store.profile().matchesAllowed()) {
        return "not entitled: the use of operator Matches is not allowed, a Business plan or a WAF"
            + " Advanced plan is required";
      }
      return null;
    } catch (FilterSyntaxException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private FilterExpression compile(String text, boolean isLenient) throws FilterSyntaxException {
    Key key = new Key(text, isLenient);
    FilterExpression known = kept.get(key);
    if (known != null) {
      return known;
    }
    FilterExpression compiled =
        isLenient ? FilterExpression.parseLenient(text) : FilterExpression.parse(text);
    if (kept.size() >= KEPT_MAX) {
      kept.clear();
    }
    kept.put(key, compiled);
    return compiled;
  }
}
