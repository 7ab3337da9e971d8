package dev.holdfast.backend.sqlite.program;

import dev.holdfast.backend.sqlite.binding.SqliteBounds;
import dev.holdfast.backend.sqlite.words.SqlRefusedException;
import dev.holdfast.sql.SqlLimits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the searches of a statement in full-text tables may cost. FTS5 compares the positions of the
 * terms of a row, and {@code snippet}, {@code highlight} and {@code bm25} read them, within one
 * instruction. The time grows with the square of the terms, of their matches in one row, and of the
 * result of {@code highlight}; a row of 16 KiB can match ten thousand times. Immutable.
 *
 * @param tables the full-text tables that it may search
 * @param queries the texts of each query, in parts; null for a query that is computed from others
 * @param markers the same of the arguments of {@code highlight}
 * @param snippetColumns the columns of which {@code snippet} is called; negative for any
 * @param highlightCalls how many calls of {@code highlight} there are
 * @param readsMatches whether the matches of a row may be read, also for its rank
 */
public record SearchCost(
    FullTextTables tables,
    List<Known> queries,
    List<Known> markers,
    List<Known> snippetColumns,
    int highlightCalls,
    boolean readsMatches) {

  /** Of a statement that searches no full-text table. */
  public static final SearchCost NONE =
      new SearchCost(FullTextTables.NONE, List.of(), List.of(), List.of(), 0, false);

  // Measured, and rounded up: for each token of a row and each pair of terms of a query; for each
  // match and each term; for each pair of matches; for each match and each byte of the result.
  private static final double NANOS_PER_PAIR_OF_TERMS = 2.5;
  private static final double NANOS_PER_MATCH_AND_TERM = 1;
  private static final double NANOS_PER_PAIR_OF_MATCHES = 5;
  private static final double NANOS_PER_MATCH_AND_BYTE = 1.6;

  private static final Pattern COLUMN = Pattern.compile("[0-9]{1,9}");

  /** A term reads each part of the index with a page in memory. */
  private static final double BYTES_PER_TERM = 32_768;

  /** In the number of a plan: the rows come in the order of their ranks. */
  private static final int ORDERED_BY_RANK = 32;

  /** A match is three numbers, in an array that grows by half. */
  private static final double BYTES_PER_MATCH = 36;

  /**
   * A text of a statement.
   *
   * @param parts what it is concatenated of; null if it is not known
   */
  record Known(@Nullable List<KnownTexts.Text> parts) {}

  /**
   * Finds the searches of a program.
   *
   * @param program the program
   * @param tables the full-text tables that it may search
   */
  public static SearchCost of(Program program, FullTextTables tables) {
    if (tables.isEmpty() || !program.usesVirtual()) {
      return NONE;
    }
    List<Known> queries = new ArrayList<>();
    List<Known> markers = new ArrayList<>();
    List<Known> snippetColumns = new ArrayList<>();
    boolean readsMatches = false;
    for (List<Instruction> instructions : programs(program)) {
      KnownTexts texts = new KnownTexts(instructions);
      for (int at = 0; at < instructions.size(); at++) {
        Instruction each = instructions.get(at);
        switch (each.opcode()) {
          case "VFilter" -> {
            addQueries(each, at, texts, queries);
            readsMatches |= isOrdered(texts.of(each.p3(), at));
          }
          // The constraint may be the rank's.
          case "VColumn" -> readsMatches = true;
          case "Function" -> {
            int first = each.p2();
            if (each.function().equals("highlight")) {
              markers.add(new Known(texts.of(first + 2, at)));
              markers.add(new Known(texts.of(first + 3, at)));
            } else if (each.function().equals("snippet")) {
              snippetColumns.add(new Known(texts.of(first + 1, at)));
            }
          }
          default -> {}
        }
      }
    }
    return queries.isEmpty()
        ? NONE
        : new SearchCost(
            tables,
            List.copyOf(queries),
            List.copyOf(markers),
            List.copyOf(snippetColumns),
            markers.size() / 2,
            readsMatches);
  }

  private static boolean isOrdered(@Nullable List<KnownTexts.Text> plan) {
    return plan == null
        || plan.stream()
            .anyMatch(each -> (Integer.parseInt(each.value(null)) & ORDERED_BY_RANK) != 0);
  }

  /** {@return the program itself, and the program of each trigger; each begins at address 0} */
  private static List<List<Instruction>> programs(Program program) {
    List<List<Instruction>> programs = new ArrayList<>(List.of(program.main()));
    int begin = 0;
    for (int at = 1; at <= program.triggers().size(); at++) {
      if (at == program.triggers().size() || program.triggers().get(at).address() == 0) {
        programs.add(program.triggers().subList(begin, at));
        begin = at;
      }
    }
    return programs;
  }

  /** The letters of the plan name its arguments; some precede the number of a column. */
  private static void addQueries(
      Instruction filter, int at, KnownTexts texts, List<Known> queries) {
    String plan = filter.p4() == null ? "" : filter.p4();
    int argument = filter.p3() + 2;
    for (int index = 0; index < plan.length(); index++) {
      char letter = plan.charAt(index);
      if (letter == 'M' || letter == 'L' || letter == 'G') {
        queries.add(new Known(texts.of(argument, at)));
      }
      argument += letter >= '0' && letter <= '9' ? 0 : 1;
    }
  }

  /**
   * {@return the longest value with which the searches stay within the limits of memory and time;
   * at most {@code max}}
   *
   * @param max the longest value otherwise
   * @param limits of the object
   * @param bindings the parameters of the statement; null for none
   * @throws SqlRefusedException if no value is short enough
   */
  public int valueBytesMax(int max, SqlLimits limits, @Nullable Object @Nullable [] bindings) {
    if (queries.isEmpty() || limits.valueBytesMax() >= SqliteBounds.BOUNDED_TIME_BYTES_MAX) {
      return max;
    }
    Searched searched = new Searched(limits, bindings);
    if (searched.isWithinLimits(max)) {
      return max;
    }
    int within = SqliteBounds.VALUE_BYTES_MIN;
    if (!searched.isWithinLimits(within)) {
      throw SqlRefusedException.error(
          "the search in a full-text table may take more memory or time than it has; search for"
              + " fewer and longer words, name each once, call snippet and highlight once, and pass"
              + " the whole query as one parameter, or see SqlLimits.memoryBytesMax and"
              + " statementTimeMax: SQLITE_ERROR");
    }
    int beyond = max;
    while (beyond - within > 1) {
      int middle = (within + beyond) >>> 1;
      if (searched.isWithinLimits(middle)) {
        within = middle;
      } else {
        beyond = middle;
      }
    }
    return within;
  }

  /** The searches with the values of their parameters. */
  private final class Searched {
    private final SqlLimits limits;
    private final double nanosMax;
    private SearchTerms known = SearchTerms.NONE;
    private int unknownQueries;
    private double markerBytes;
    private int unknownMarkers;
    private int snippetsOfOne;

    Searched(SqlLimits limits, @Nullable Object @Nullable [] bindings) {
      this.limits = limits;
      Duration time = limits.statementTimeMax();
      this.nanosMax = time.toSeconds() * 1e9 + time.toNanosPart();
      for (Known query : queries) {
        List<KnownTexts.Text> parts = query.parts;
        if (parts == null) {
          unknownQueries++;
        } else {
          for (KnownTexts.Text part : parts) {
            String text = part.value(bindings);
            known = known.and(SearchTerms.of(text, /* isPart= */ parts.size() > 1, tables));
          }
        }
      }
      for (Known column : snippetColumns) {
        snippetsOfOne += isOneColumn(column, bindings) ? 1 : 0;
      }
      for (Known marker : markers) {
        if (marker.parts == null) {
          unknownMarkers++;
        } else {
          markerBytes += bytes(marker.parts, bindings);
        }
      }
    }

    /** {@return whether the work with one row is, if no value is longer than this} */
    boolean isWithinLimits(double valueBytes) {
      double perByteMax = tables.tokensPerByte();
      SearchTerms terms = known.and(SearchTerms.ofAny(unknownQueries * valueBytes, tables));
      // The index may have as much of a row as the limits allow, even if its text is not read.
      double columnBytes = tables.hasOwnContent() ? valueBytes : limits.valueBytesMax();
      double indexBytes = tables.rowBytesMax(limits.valueBytesMax());
      double rowBytes = Math.min(indexBytes, columnBytes * tables.columnsMax());
      double matches = indexBytes * terms.matchesPerByte();
      double ofRow = (tables.columnsMax() == 1 ? rowBytes : indexBytes) * terms.matchesPerByte();
      double compared =
          ofRow
              * terms.matchesPerByte()
              * (snippetsOfOne * columnBytes + (snippetColumns.size() - snippetsOfOne) * rowBytes);
      double marked = valueBytes * Math.min(terms.matchesPerByte(), perByteMax);
      double result =
          highlightCalls * valueBytes + marked * (markerBytes + unknownMarkers * valueBytes);
      double nanos =
          NANOS_PER_PAIR_OF_TERMS * indexBytes * perByteMax * terms.count() * terms.count()
              + NANOS_PER_MATCH_AND_TERM * matches * terms.count()
              + NANOS_PER_PAIR_OF_MATCHES * compared
              + NANOS_PER_MATCH_AND_BYTE * marked * result;
      double bytes =
          BYTES_PER_TERM * terms.count()
              + (readsMatches ? BYTES_PER_MATCH * matches : 0)
              + 2 * result;
      return bytes <= limits.memoryBytesMax() && nanos <= nanosMax;
    }
  }

  private static boolean isOneColumn(Known column, @Nullable Object @Nullable [] bindings) {
    return column.parts != null
        && column.parts.stream().allMatch(each -> COLUMN.matcher(each.value(bindings)).matches());
  }

  private static double bytes(List<KnownTexts.Text> parts, @Nullable Object @Nullable [] bindings) {
    return parts.stream()
        .mapToDouble(each -> each.value(bindings).getBytes(StandardCharsets.UTF_8).length)
        .sum();
  }
}
