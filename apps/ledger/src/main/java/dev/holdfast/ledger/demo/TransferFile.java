package dev.holdfast.ledger.demo;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.ledger.Transfer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A CSV file of transfers: {@code id,from,to,amount} on each line, the amount in units with at most
 * two decimals, in UTF-8. A header line, a byte order mark, quoted fields, empty lines and either
 * line end are accepted. Each line is parsed separately, so an unclosed quote affects no other
 * line.
 *
 * @param path its path
 * @param lineCount lines in the file, the header and empty ones included
 * @param transfers the transfers to execute, each id once per sending account
 * @param repeatedCount the number of lines that repeat an earlier one
 * @param problems the lines that were skipped, with reasons
 */
record TransferFile(
    Path path,
    long lineCount,
    List<Transfer> transfers,
    int repeatedCount,
    List<Problem> problems) {

  /** Enough to find a zero byte in any file that is not text. */
  private static final int PROBE_BYTES = 8_192;

  private static final int FIELD_COUNT = 4;
  private static final int PROBLEMS_SHOWN = 15;

  /** Few enough digits that no sum of a file's amounts exceeds the range of a long. */
  private static final Pattern AMOUNT = Pattern.compile("-?[0-9]{1,9}(\\.[0-9]{1,2})?");

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  /**
   * A line that was skipped.
   *
   * @param line its number, from 1
   * @param reason what is wrong with it
   */
  record Problem(long line, String reason) {}

  /**
   * Reads a file.
   *
   * @param file the file
   * @return its content; at least one transfer
   * @throws WrongInputException if it is not a file, cannot be read, is not text or has no
   *     transfers
   */
  static TransferFile read(Path file) {
    if (!Files.exists(file)) {
      throw new WrongInputException("There is no file " + file + ".");
    }
    if (!Files.isRegularFile(file)) {
      throw new WrongInputException(file + " is not a file; give a CSV file of transfers.");
    }
    try {
      if (isBinary(file)) {
        throw new WrongInputException(file + " is not text; give a CSV file of transfers.");
      }
      TransferFile content = parse(file);
      if (content.transfers.isEmpty()) {
        throw new WrongInputException(noTransfers(file, content));
      }
      return content;
    } catch (CharacterCodingException e) {
      throw new WrongInputException(file + " is not text in UTF-8; convert it first.");
    } catch (IOException e) {
      throw new WrongInputException(file + " cannot be read: " + e.getMessage());
    }
  }

  /** {@return the numbers of all accounts in the file} */
  SortedSet<String> accounts() {
    SortedSet<String> numbers = new TreeSet<>();
    for (Transfer transfer : transfers) {
      numbers.add(transfer.from());
      numbers.add(transfer.to());
    }
    return numbers;
  }

  /** Says what the file holds, and which lines were skipped. */
  void report(PrintStream out) {
    out.printf("%s: %,d lines%n", path, lineCount);
    problems.stream()
        .limit(PROBLEMS_SHOWN)
        .forEach(each -> out.printf("  line %,d skipped: %s%n", each.line(), each.reason()));
    if (problems.size() > PROBLEMS_SHOWN) {
      out.printf("  ... and %,d more skipped%n", problems.size() - PROBLEMS_SHOWN);
    }
    out.printf(
        "  %,d transfers between %,d accounts; %,d lines skipped, %,d repeat another%n%n",
        transfers.size(), accounts().size(), problems.size(), repeatedCount);
  }

  private static String noTransfers(Path file, TransferFile content) {
    String first =
        content.problems.stream()
            .findFirst()
            .map(problem -> "; line " + problem.line() + ": " + problem.reason())
            .orElse("");
    return file + " holds no transfer; a line is id,from,to,amount" + first + ".";
  }

  private static boolean isBinary(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      for (byte b : in.readNBytes(PROBE_BYTES)) {
        if (b == 0) {
          return true;
        }
      }
      return false;
    }
  }

  private static TransferFile parse(Path file) throws IOException {
    LineParser parser = new LineParser();
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        parser.next(line);
      }
    }
    return new TransferFile(
        file,
        parser.number,
        List.copyOf(parser.transfers),
        parser.repeatedCount,
        List.copyOf(parser.problems));
  }

  /** Reads one line after another. Owned by one thread. */
  private static final class LineParser {

    private final List<Transfer> transfers = new ArrayList<>();
    private final List<Problem> problems = new ArrayList<>();
    private final Map<List<String>, Transfer> byId = new HashMap<>();
    private long number;
    private int repeatedCount;

    void next(String text) {
      number++;
      String line = number == 1 ? withoutByteOrderMark(text) : text;
      if (line.isBlank()) {
        return;
      }
      try {
        List<String> fields = fields(line);
        if (number > 1 || !isHeader(fields)) {
          transfer(fields).ifPresent(transfers::add);
        }
      } catch (IllegalArgumentException e) {
        problems.add(new Problem(number, String.valueOf(e.getMessage())));
      }
    }

    /** Returns empty for a line that repeats an earlier one: the same order, sent twice. */
    private Optional<Transfer> transfer(List<String> fields) {
      if (fields.size() != FIELD_COUNT) {
        throw new IllegalArgumentException(
            "expected " + FIELD_COUNT + " fields (id,from,to,amount), found " + fields.size());
      }
      Transfer transfer =
          new Transfer(fields.get(0), fields.get(1), fields.get(2), cents(fields.get(3)));
      Transfer known = byId.putIfAbsent(List.of(transfer.from(), transfer.id()), transfer);
      if (known != null && !known.equals(transfer)) {
        throw new IllegalArgumentException(
            "id " + transfer.id() + " was used before for another transfer of " + transfer.from());
      }
      repeatedCount += known == null ? 0 : 1;
      return known == null ? Optional.of(transfer) : Optional.empty();
    }
  }

  private static String withoutByteOrderMark(String line) {
    return !line.isEmpty() && line.charAt(0) == BYTE_ORDER_MARK ? line.substring(1) : line;
  }

  private static boolean isHeader(List<String> fields) {
    return fields.size() == FIELD_COUNT && fields.getLast().equalsIgnoreCase("amount");
  }

  private static List<String> fields(String line) {
    try {
      return CsvReader.builder()
          .allowUnclosedQuote(false)
          .ofSingleCsvRecord(line)
          .getFields()
          .stream()
          .map(String::strip)
          .toList();
    } catch (CsvParseException e) {
      throw new IllegalArgumentException("not a CSV line; check its quotes", e);
    }
  }

  private static long cents(String amount) {
    if (!AMOUNT.matcher(amount).matches()) {
      throw new IllegalArgumentException("\"" + amount + "\" is not an amount such as 12.50");
    }
    return new BigDecimal(amount).movePointRight(2).longValueExact();
  }
}
