package dev.holdfast.crash;

import dev.holdfast.crash.CrashStep.Kind;
import dev.holdfast.crash.CrashStep.RowWrite;
import dev.holdfast.storage.StorageLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Determines the writes of each step of each object. A pure function of seed, object and step, so
 * the writing and the checking process need not communicate about it.
 *
 * @param seed the seed of the test
 */
record StepPlan(long seed) {

  private static final int KEY_COUNT = 40;
  private static final int ROW_COUNT = 60;

  /** Leaves room for the step's own number in the 128 pairs of one put. */
  private static final int PUTS_MAX = StorageLimits.KEYS_MAX - 1;

  /** A key of the maximum length, so that crashes also test the limits. */
  private static final String LONGEST_KEY = "x".repeat(StorageLimits.KEY_BYTES_MAX);

  CrashStep step(int cell, long seq) {
    SplittableRandom random = new SplittableRandom(mix(cell, seq));
    Kind kind = kind(random);
    boolean unconfirmed = kind == Kind.UNCONFIRMED;
    return new CrashStep(
        seq,
        kind,
        !unconfirmed && random.nextInt(60) == 0,
        deletes(random),
        puts(random),
        unconfirmed ? List.of() : rows(random));
  }

  private long mix(int cell, long seq) {
    return (seed * 0x9E3779B97F4A7C15L + cell) * 0xBF58476D1CE4E5B9L + seq;
  }

  private static Kind kind(SplittableRandom random) {
    int percent = random.nextInt(100);
    if (percent < 70) {
      return Kind.PLAIN;
    }
    if (percent < 80) {
      return Kind.UNCONFIRMED;
    }
    if (percent < 92) {
      return Kind.CALL;
    }
    return percent < 95 ? Kind.SECTION : Kind.THROW;
  }

  private static List<String> deletes(SplittableRandom random) {
    List<String> keys = new ArrayList<>();
    for (int left = random.nextInt(4) == 0 ? random.nextInt(1, 7) : 0; left > 0; left--) {
      keys.add(key(random));
    }
    return keys.stream().distinct().toList();
  }

  private static SortedMap<String, Object> puts(SplittableRandom random) {
    int shape = random.nextInt(40);
    SortedMap<String, Object> pairs = new TreeMap<>();
    if (shape == 0) {
      for (int index = 0; index < PUTS_MAX; index++) {
        pairs.put("many-" + index, random.nextLong());
      }
    } else if (shape == 1) {
      int bytes = random.nextInt(60_000, StorageLimits.VALUE_BYTES_MAX + 1);
      pairs.put(key(random), bytes(random, bytes));
    } else {
      for (int left = random.nextInt(1, shape < 10 ? 20 : 4); left > 0; left--) {
        pairs.put(key(random), value(random));
      }
    }
    return pairs;
  }

  private static List<RowWrite> rows(SplittableRandom random) {
    List<RowWrite> rows = new ArrayList<>();
    for (int left = random.nextBoolean() ? random.nextInt(1, 6) : 0; left > 0; left--) {
      rows.add(
          new RowWrite(
              random.nextInt(ROW_COUNT),
              random.nextInt(4) == 0 ? Optional.empty() : Optional.of(text(random))));
    }
    return rows;
  }

  private static String key(SplittableRandom random) {
    int index = random.nextInt(KEY_COUNT);
    if (index == 0) {
      return LONGEST_KEY;
    }
    return index % 7 == 0 ? "schlüssel-" + index : "key-" + index;
  }

  private static Object value(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> random.nextLong();
      case 1 -> random.nextBoolean();
      case 2 -> bytes(random, random.nextInt(300));
      case 3 -> random.longs(random.nextInt(8)).boxed().toList();
      case 4 -> Map.of("left", random.nextLong(), "right", random.nextLong());
      default -> text(random);
    };
  }

  private static byte[] bytes(SplittableRandom random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(60); left > 0; left--) {
      text.appendCodePoint(random.nextInt(5) == 0 ? 0x1F600 + random.nextInt(64) : 'a' + left % 26);
    }
    return text.toString();
  }
}
