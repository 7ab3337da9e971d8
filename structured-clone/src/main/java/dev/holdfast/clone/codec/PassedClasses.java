package dev.holdfast.clone.codec;

import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.JsNumbers;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Classes of the JDK that a value keeps on its way to another object where its declared type does
 * not say which one it is. A closed list: a mark is the place of a class in it, and nobody's bytes
 * name a class.
 */
final class PassedClasses {

  /** Stands for a value that its natural type describes. */
  static final int NONE = 0;

  /** Added to the mark of the content of an {@code Optional}. */
  static final int OPTIONAL = 0x80;

  /** Classes are only appended: their places, from 1 on, are part of the format. */
  private static final List<Class<?>> CLASSES =
      List.of(
          List.class,
          Set.class,
          Map.class,
          Integer.class,
          Short.class,
          Byte.class,
          Long.class,
          Double.class,
          Float.class,
          Character.class,
          BigDecimal.class,
          UUID.class,
          URI.class,
          Duration.class,
          Period.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          OffsetTime.class,
          ZonedDateTime.class,
          Year.class,
          YearMonth.class,
          MonthDay.class,
          ZoneOffset.class,
          ZoneId.class,
          Currency.class,
          Locale.class,
          Date.class,
          short[].class,
          int[].class,
          long[].class,
          float[].class,
          double[].class);

  private static final Map<Class<?>, Integer> MARKS = new HashMap<>();

  static {
    CLASSES.forEach(each -> MARKS.put(each, MARKS.size() + 1));
  }

  private static final int LIST = markOf(List.class);
  private static final int SET = markOf(Set.class);
  private static final int MAP = markOf(Map.class);

  private static final ClassValue<Integer> BY_CLASS =
      new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
          return markOf(type);
        }
      };

  private static int markOf(Class<?> type) {
    Integer known =
        MARKS.get(
            ZoneId.class.isAssignableFrom(type) && type != ZoneOffset.class ? ZoneId.class : type);
    if (known != null) {
      return known;
    }
    if (JsValue.class.isAssignableFrom(type)) {
      return NONE;
    }
    if (Set.class.isAssignableFrom(type)) {
      return SET;
    }
    if (Collection.class.isAssignableFrom(type)) {
      return LIST;
    }
    return Map.class.isAssignableFrom(type) ? MAP : NONE;
  }

  /** Returns the mark of a value; {@link #NONE} if its natural type has its class. */
  static int markOf(Object value) {
    return value instanceof Long number && JsNumbers.isExactInteger(number)
        ? NONE
        : BY_CLASS.get(value.getClass());
  }

  /** Returns what reads the values of a mark; null if there is no such mark. */
  static @Nullable TypeReader reader(int mark) {
    return mark <= CLASSES.size() ? TypeReaders.STANDARD.of(CLASSES.get(mark - 1)) : null;
  }

  private PassedClasses() {}
}
