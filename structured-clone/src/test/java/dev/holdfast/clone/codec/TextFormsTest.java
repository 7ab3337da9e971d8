package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values that are stored as text, at the ends of their ranges. */
class TextFormsTest {

  static Stream<Object> values() {
    return Stream.of(
        Year.of(476),
        Year.of(0),
        Year.of(-44),
        Year.of(10_000),
        Year.of(Year.MAX_VALUE),
        YearMonth.of(10_000, 1),
        YearMonth.of(-10_000, 1),
        YearMonth.of(5, 1),
        YearMonth.of(-5, 1),
        LocalDate.MAX,
        LocalDate.MIN,
        LocalDateTime.MAX,
        OffsetDateTime.MAX,
        OffsetDateTime.MIN,
        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
        Duration.ofSeconds(Long.MIN_VALUE),
        Duration.ofSeconds(-1, 1),
        Period.of(Integer.MIN_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE),
        MonthDay.of(2, 29),
        ZoneOffset.MAX,
        ZoneOffset.ofHoursMinutesSeconds(-1, -2, -3),
        ZonedDateTime.ofLocal(
            LocalDateTime.of(2025, 10, 26, 2, 30),
            ZoneId.of("Europe/Paris"),
            ZoneOffset.ofHours(1)),
        ZonedDateTime.ofLocal(
            LocalDateTime.of(2025, 10, 26, 2, 30),
            ZoneId.of("Europe/Paris"),
            ZoneOffset.ofHours(2)),
        ZonedDateTime.of(LocalDateTime.of(2025, 1, 1, 0, 0), ZoneId.of("UTC+1")),
        ZonedDateTime.of(LocalDateTime.of(2025, 1, 1, 0, 0), ZoneId.of("GMT0")),
        ZonedDateTime.of(LocalDateTime.MAX, ZoneOffset.MIN),
        Currency.getInstance("EUR"),
        Locale.ROOT,
        Locale.GERMANY,
        Locale.of("ja", "JP", "JP"),
        Locale.forLanguageTag("zh-Hant-TW-u-ca-roc"));
  }

  @ParameterizedTest
  @MethodSource("values")
  void whatIsWrittenIsReadAgain(Object value) {
    byte[] bytes = StructuredClone.standard().encode(value);
    assertThat((Object) StructuredClone.standard().decode(bytes, (Class<?>) value.getClass()))
        .isEqualTo(value);
  }

  @Test
  void localeIsStoredAsItsLanguageTag() {
    byte[] bytes = StructuredClone.standard().encode(Locale.GERMANY);
    assertThat(StructuredClone.standard().decode(bytes)).isEqualTo("de-DE");
  }

  @Test
  void localeThatNoLanguageTagDescribesIsRefusedWhenItIsWritten() {
    assertThatThrownBy(() -> StructuredClone.standard().encode(Locale.of("no such language")))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("no language tag");
  }

  @Test
  void textThatIsNoLanguageTagIsRefused() {
    byte[] bytes = StructuredClone.standard().encode("de_DE");
    assertThatThrownBy(() -> StructuredClone.standard().decode(bytes, Locale.class))
        .isInstanceOf(CloneException.class);
  }
}
