package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
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
import java.util.Currency;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Immutable classes of the JDK that are written as a standard text from which they can be restored,
 * because JavaScript has no closer type: their {@code toString()}, but a locale as its language
 * tag.
 */
final class TextForms {

  private static final Map<Class<?>, Function<String, Object>> PARSERS =
      Map.ofEntries(
          form(BigDecimal.class, BigDecimal::new),
          form(UUID.class, UUID::fromString),
          form(URI.class, URI::create),
          form(Duration.class, Duration::parse),
          form(Period.class, Period::parse),
          form(LocalDate.class, LocalDate::parse),
          form(LocalTime.class, LocalTime::parse),
          form(LocalDateTime.class, LocalDateTime::parse),
          form(OffsetDateTime.class, OffsetDateTime::parse),
          form(OffsetTime.class, OffsetTime::parse),
          form(ZonedDateTime.class, ZonedDateTime::parse),
          form(Year.class, Year::parse),
          form(YearMonth.class, TextForms::yearMonth),
          form(MonthDay.class, MonthDay::parse),
          form(ZoneOffset.class, ZoneOffset::of),
          form(ZoneId.class, ZoneId::of),
          form(Currency.class, Currency::getInstance),
          form(Locale.class, TextForms::locale));

  private static Map.Entry<Class<?>, Function<String, Object>> form(
      Class<?> type, Function<String, Object> parser) {
    return Map.entry(type, parser);
  }

  /** After the year 9999, {@code toString()} omits the sign that {@code parse} requires. */
  private static YearMonth yearMonth(String text) {
    return YearMonth.parse(text.matches("[0-9]{5,}-.*") ? "+" + text : text);
  }

  /** {@code forLanguageTag} drops what it does not understand; that is refused here. */
  private static Locale locale(String tag) {
    Locale locale = Locale.forLanguageTag(tag);
    if (!locale.toLanguageTag().equalsIgnoreCase(tag)) {
      throw new IllegalArgumentException("no language tag");
    }
    return locale;
  }

  /**
   * Returns the text of a value of one of these classes.
   *
   * @throws CloneException if it is a locale that its language tag does not describe
   */
  static String text(Object value) {
    if (!(value instanceof Locale locale)) {
      return value.toString();
    }
    String tag = locale.toLanguageTag();
    if (!Locale.forLanguageTag(tag).equals(locale)) {
      throw new CloneException(
          "locale " + locale + " has no language tag from which it can be read back", Locale.class);
    }
    return tag;
  }

  static boolean has(Class<?> type) {
    return parser(type) != null;
  }

  static @Nullable Function<String, Object> parser(Class<?> type) {
    // The class of a region is not public.
    return PARSERS.get(
        ZoneId.class.isAssignableFrom(type) && type != ZoneOffset.class ? ZoneId.class : type);
  }

  private TextForms() {}
}
