package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Single random damages to a directory. Each is found by the check, or harmless: the damaged
 * directory opens, and every object has what it had. No damage lets an opening show other data: it
 * is refused, each object that is damaged is, or everything is as it was.
 */
final class RandomDamageTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int TRIES = IS_LONG ? 500 : 60;

  /** In the short version, of how many damages that were found one is opened, too. */
  private static final int OPENED_OF = 6;

  /** A larger file is not read as a whole when it is opened. */
  private static final long READ_AT_OPENING_BYTES_MAX = 256 << 10;

  /** Files that no opening reads, or that it makes again: proving that takes a whole opening. */
  private static final Pattern WITHOUT_MEANING =
      Pattern.compile("LOCK|journal/.*spare|rocksdb/(LOG|OPTIONS|IDENTITY|LOCK).*|sqlite/.*-wal");

  @TempDir private Path parent;

  private enum How {
    TRUNCATED,
    ZEROED,
    FLIPPED,
    DELETED,
    SWAPPED
  }

  /** One damage: what the changed files are afterwards; null for a deleted one. */
  private record Damage(String description, Map<Path, byte[]> after, Path file, int offset) {}

  private Path data;
  private Map<Path, byte[]> pristine;
  private Map<String, List<Path>> kinds;

  @ParameterizedTest
  @MethodSource("directories")
  void singleDamageIsFoundOrHarmless(String end, boolean keepsHistory, long seed)
      throws IOException {
    data = parent.resolve("data");
    boolean isKilled = end.equals("killed");
    if (isKilled) {
      SampleDirectory.writeKilled(data, parent.resolve("alive"), keepsHistory);
    } else {
      SampleDirectory.writeClosed(data, keepsHistory);
    }
    Map<String, Object> expected = stateOfCopy(keepsHistory);
    readFiles();
    Random random = new Random(seed);
    int found = 0;
    int harmless = 0;
    int torn = 0;
    int opened = 0;
    int unread = 0;
    List<String> missed = new ArrayList<>();
    for (int trial = 0; trial < TRIES; trial++) {
      Damage damage = damage(random);
      apply(damage.after());
      String name = "seed " + seed + ", trial " + trial + ": " + damage.description();
      try {
        boolean isFound = !Verification.run(data, parent, false).isSound();
        found += isFound ? 1 : 0;
        if (isFound && !IS_LONG && found % OPENED_OF != 0) {
          continue; // an opening takes longer than a check
        }
        Map<String, Object> state = stateOfCopy(keepsHistory);
        opened++;
        if (isFound && isReadLater(damage)) {
          unread++;
        } else if (isKilled && isInLastGroup(damage)) {
          torn += expected.equals(state) ? 0 : 1;
        } else if (!SampleDirectory.wrong(expected, state).isEmpty()) {
          missed.add(name + " shows " + SampleDirectory.wrong(expected, state).keySet());
        } else if (!isFound && !expected.equals(state)) {
          missed.add(name + " is not found");
        }
        harmless += !isFound && expected.equals(state) ? 1 : 0;
      } finally {
        restore(damage.after());
      }
    }
    if (IS_LONG) {
      System.out.printf(
          "%s, history %s, seed %d: %d damages, %d found, %d harmless, %d in the last group of a"
              + " killed journal, %d opened, %d in files that are read later, %d missed%n",
          end, keepsHistory, seed, TRIES, found, harmless, torn, opened, unread, missed.size());
    }
    assertThat(missed).isEmpty();
    assertThat(found).isGreaterThan(TRIES / 3);
    assertThat(opened - unread).isGreaterThan(TRIES / 10);
  }

  /** How the directory was left, whether it keeps history, and the seed of the damages. */
  static Stream<Arguments> directories() {
    Stream<Arguments> two =
        Stream.of(Arguments.of("closed", true, 1L), Arguments.of("killed", false, 2L));
    Stream<Arguments> more =
        Stream.of(Arguments.of("closed", false, 3L), Arguments.of("killed", true, 4L));
    return IS_LONG ? Stream.concat(two, more) : two;
  }

  /** {@return the state of a copy that a runtime opens, with what it refuses} */
  private Map<String, Object> stateOfCopy(boolean keepsHistory) throws IOException {
    Path copy = parent.resolve("copy");
    SampleDirectory.copy(data, copy);
    try {
      return SampleDirectory.stateOrRefusals(copy, keepsHistory);
    } finally {
      FileTree.delete(new FileDisk(), copy);
    }
  }

  /**
   * The pages of a large file are compared in the background after it was opened, as
   * docs/formats/damage.md says: until then they may be read. Those of another length are refused.
   */
  private boolean isReadLater(Damage damage) {
    return damage.after().entrySet().stream()
        .anyMatch(
            each ->
                each.getValue() != null
                    && each.getValue().length > READ_AT_OPENING_BYTES_MAX
                    && each.getValue().length == pristine.get(each.getKey()).length
                    && each.getKey().toString().endsWith(".sqlite"));
  }

  private void readFiles() throws IOException {
    pristine = new TreeMap<>();
    kinds = new TreeMap<>();
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        pristine.put(file, Files.readAllBytes(file));
        kinds.computeIfAbsent(kindOf(file), _ -> new ArrayList<>()).add(file);
      }
    }
    kinds.values().forEach(files -> files.sort(null));
  }

  /** Files that differ in digits only are of one kind, and so are those of all objects. */
  private String kindOf(Path file) {
    String name = data.relativize(file).toString();
    return name.matches("sqlite/.*/.*")
        ? "object"
        : name.replaceAll("[0-9a-f]*[0-9]+[0-9a-f]*", "N");
  }

  private Damage damage(Random random) {
    List<String> names = List.copyOf(kinds.keySet());
    while (true) {
      String kind = names.get(random.nextInt(names.size()));
      if (!IS_LONG && WITHOUT_MEANING.matcher(kind).matches() && random.nextInt(8) > 0) {
        continue;
      }
      List<Path> files = kinds.get(kind);
      Path file = files.get(random.nextInt(files.size()));
      How how = How.values()[random.nextInt(How.values().length)];
      byte[] before = pristine.get(file);
      int used = used(before);
      int offset = used == 0 ? 0 : random.nextInt(used);
      Map<Path, byte[]> after = new TreeMap<>();
      switch (how) {
        case TRUNCATED -> after.put(file, Arrays.copyOf(before, offset));
        case ZEROED -> {
          byte[] zeroed = before.clone();
          Arrays.fill(
              zeroed,
              offset,
              Math.min(zeroed.length, offset + 1 + random.nextInt(5_000)),
              (byte) 0);
          after.put(file, zeroed);
        }
        case FLIPPED -> {
          byte[] flipped = before.clone();
          if (flipped.length > 0) {
            flipped[offset] ^= (byte) (1 << random.nextInt(8));
          }
          after.put(file, flipped);
        }
        case DELETED -> after.put(file, null);
        case SWAPPED -> {
          Path other = files.get(random.nextInt(files.size()));
          after.put(file, pristine.get(other));
          after.put(other, before);
        }
      }
      boolean isDamage =
          after.entrySet().stream()
              .anyMatch(each -> !Arrays.equals(each.getValue(), pristine.get(each.getKey())));
      if (isDamage) {
        return new Damage(data.relativize(file) + " " + how + " at " + offset, after, file, offset);
      }
    }
  }

  /** {@return the length without zeros at the end} */
  private static int used(byte[] bytes) {
    int used = bytes.length;
    while (used > 0 && bytes[used - 1] == 0) {
      used--;
    }
    return used;
  }

  /** Such damage looks like a torn tail, as docs/formats/damage.md says. */
  private boolean isInLastGroup(Damage damage) {
    Path newest = kinds.get("journal/N.log").getLast();
    byte[] bytes = pristine.get(newest);
    byte[] magic = {'H', 'G', 'R', 'P'};
    int last = used(bytes) & ~7;
    while (last > 0 && !Arrays.equals(bytes, last, last + 4, magic, 0, 4)) {
      last -= 8;
    }
    return damage.file().equals(newest) && damage.offset() >= last;
  }

  private static void apply(Map<Path, byte[]> files) throws IOException {
    for (Map.Entry<Path, byte[]> each : files.entrySet()) {
      if (each.getValue() == null) {
        Files.delete(each.getKey());
      } else {
        Files.write(each.getKey(), each.getValue());
      }
    }
  }

  private void restore(Map<Path, byte[]> damaged) throws IOException {
    for (Path file : damaged.keySet()) {
      Files.write(file, pristine.get(file));
    }
  }
}
