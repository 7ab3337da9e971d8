package dev.holdfast.spi.inspect;

import dev.holdfast.recovery.Difference;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One key, row or alarm that differs between two states of an object, with its values. Immutable.
 *
 * @param difference which one, and how it differs
 * @param before its columns in the first state, as {@link
 *     dev.holdfast.spi.PastImage.EntryVisitor#visit} has them; null if it was not there, or if all
 *     values together are too large
 * @param after its columns in the second state; null as above
 */
public record StateDifference(
    Difference difference,
    @Nullable Map<String, @Nullable Object> before,
    @Nullable Map<String, @Nullable Object> after) {

  /** Stands for the alarms. No table has this name. */
  public static final String ALARMS = "_cf_alarms";

  /** Copies the columns. */
  public StateDifference {
    before = copy(before);
    after = copy(after);
  }

  /**
   * {@return a difference. The check of nulls reads the types of a method from a class file, and
   * not those of a record's constructor}
   *
   * @param difference which one, and how it differs
   * @param before its columns in the first state
   * @param after its columns in the second state
   */
  public static StateDifference of(
      Difference difference,
      @Nullable Map<String, @Nullable Object> before,
      @Nullable Map<String, @Nullable Object> after) {
    return new StateDifference(difference, before, after);
  }

  private static @Nullable Map<String, @Nullable Object> copy(
      @Nullable Map<String, @Nullable Object> columns) {
    return columns == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(columns));
  }
}
