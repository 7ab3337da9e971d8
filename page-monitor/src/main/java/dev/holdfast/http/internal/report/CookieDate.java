package dev.holdfast.http.internal.report;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Dates of cookies as browsers read them (RFC 6265, section 5.1.1): time, day, month and year in
 * any order, with anything between them, years of two digits, and any time zone ignored.
 */
final class CookieDate {

  private static final Pattern DELIMITERS =
      Pattern.compile("[\\x09\\x20-\\x2F\\x3B-\\x40\\x5B-\\x60\\x7B-\\x7E]+");
  private static final Pattern TIME =
      Pattern.compile("([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})([^0-9].*)?");
  private static final Pattern DAY = Pattern.compile("([0-9]{1,2})([^0-9].*)?");
  private static final Pattern YEAR = Pattern.compile("([0-9]{2,4})([^0-9].*)?");
  private static final List<String> MONTHS =
      List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");

  private CookieDate() {}

  /** {@return the time, or null if the text is not a date, which browsers ignore} */
  static @Nullable Instant parse(String text) {
    if (text.length() > MonitorBounds.COOKIE_DATE_LENGTH_MAX) {
      return null;
    }
    Matcher time = null;
    int day = 0;
    int month = 0;
    int year = -1;
    for (String token : DELIMITERS.split(text, -1)) {
      Matcher asTime = TIME.matcher(token);
      Matcher asDay = DAY.matcher(token);
      Matcher asYear = YEAR.matcher(token);
      if (time == null && asTime.matches()) {
        time = asTime;
      } else if (day == 0 && asDay.matches()) {
        day = Integer.parseInt(asDay.group(1));
      } else if (month == 0 && monthOf(token) > 0) {
        month = monthOf(token);
      } else if (year < 0 && asYear.matches()) {
        year = yearOf(Integer.parseInt(asYear.group(1)));
      }
    }
    if (time == null || year < 1601) {
      return null;
    }
    try {
      return LocalDateTime.of(year, month, day, part(time, 1), part(time, 2), part(time, 3))
          .toInstant(ZoneOffset.UTC);
    } catch (DateTimeException e) {
      return null;
    }
  }

  private static int part(Matcher time, int group) {
    return Integer.parseInt(time.group(group));
  }

  private static int monthOf(String token) {
    return token.length() < 3
        ? 0
        : MONTHS.indexOf(token.substring(0, 3).toLowerCase(Locale.ROOT)) + 1;
  }

  private static int yearOf(int number) {
    if (number >= 70 && number <= 99) {
      return number + 1_900;
    }
    return number <= 69 ? number + 2_000 : number;
  }
}
