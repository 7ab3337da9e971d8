package dev.holdfast.ledger.demo;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The bundled sample: 20,000 lines between 200 accounts, always the same. A few are malformed, a
 * few repeat an earlier line, and some ask for more than an account can hold.
 */
final class SampleTransfers {

  static final int LINE_COUNT = 20_000;
  private static final int ACCOUNT_COUNT = 200;
  private static final long SEED = 20_260_101;

  /** The interval of malformed lines, which cycle through {@link #MALFORMED}. */
  private static final int MALFORMED_EVERY = 1_800;

  private static final int REPEATED_EVERY = 1_500;
  private static final int OVERDRAWN_EVERY = 400;

  private static final String[] MALFORMED = {
    "%s,acc-017,acc-033",
    "%s,acc-017,acc-033,twelve",
    "%s,acc-017,acc-033,-5.00",
    "%s,acc-017,acc-017,5.00",
    "%s,acc-017,acc-033,5.001",
    "%s,\"acc-017,acc-033,5.00",
  };

  private SampleTransfers() {}

  static void write(Path file) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      out.write("id,from,to,amount\n");
      String previous = "";
      for (int number = 2; number <= LINE_COUNT; number++) {
        previous = line(number, previous, random);
        out.write(previous + "\n");
      }
    }
  }

  private static String line(int number, String previous, SplittableRandom random) {
    String id = "t%05d".formatted(number);
    if (number % MALFORMED_EVERY == 0) {
      return MALFORMED[number / MALFORMED_EVERY % MALFORMED.length].formatted(id);
    }
    if (number % REPEATED_EVERY == 2) {
      return previous;
    }
    int from = random.nextInt(ACCOUNT_COUNT);
    int to = (from + 1 + random.nextInt(ACCOUNT_COUNT - 1)) % ACCOUNT_COUNT;
    long cents = number % OVERDRAWN_EVERY == 0 ? 100_000_000 : random.nextLong(1, 10_000);
    return "%s,acc-%03d,acc-%03d,%d.%02d".formatted(id, from, to, cents / 100, cents % 100);
  }
}
