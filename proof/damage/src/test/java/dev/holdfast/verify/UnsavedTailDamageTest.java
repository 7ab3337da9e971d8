package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.verify.SampleDirectory.Notes;
import dev.holdfast.verify.SampleDirectory.Refusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged files of objects that were written again after they were saved, in a directory that was
 * killed: recovery redoes some of their pages, or all. The journal does not have the objects' first
 * batches. What a check and a repair say must be what an opening does.
 */
final class UnsavedTailDamageTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int PAGE = 4_096;

  @TempDir private static Path shared;
  private static Map<String, Object> expected;

  /** In the short version: recovery redoes all pages of "other", and some of "small". */
  private static final Pattern TRIED = Pattern.compile("/(ef8|f64)/");

  /** The files by size. */
  private static List<Path> objects;

  private static int tries;

  @TempDir private Path parent;

  @BeforeAll
  static void write() throws IOException {
    Path alive = shared.resolve("alive");
    for (String rounds : List.of("abcdefg", "h")) { // the second opening drops the first segment
      try (ObjectRuntime runtime = SampleDirectory.open(alive, false)) {
        for (String round : rounds.split("")) {
          SampleDirectory.write(runtime, round);
        }
      }
    }
    Path data = shared.resolve("data");
    try (ObjectRuntime runtime = SampleDirectory.open(alive, false)) {
      ObjectNamespace<Notes> notes = runtime.namespace("notes", Notes.class);
      notes.getByName("other").clear(); // writes all of its pages again
      notes.getByName("other").fill("new", 150, 500);
      notes.getByName("small").put("tail", "one");
      notes.getByName("large").put("tail", "two");
      notes.getByName("gone").fill("back", 30, 400);
      CopyAtRest.of(alive, data);
    }
    assertThat(data.resolve("journal/0000000000000001.log")).doesNotExist();
    SampleDirectory.copy(data, shared.resolve("opened"));
    expected = SampleDirectory.stateOrRefusals(shared.resolve("opened"), false);
    assertThat(expected.values()).noneMatch(Refusal.class::isInstance);
    try (Stream<Path> files = Files.walk(data.resolve("sqlite/notes"))) {
      objects =
          files
              .filter(file -> file.toString().endsWith(".sqlite"))
              .sorted((one, two) -> Long.compare(size(one), size(two)))
              .map(data::relativize)
              .filter(file -> IS_LONG || TRIED.matcher(file.toString()).find())
              .toList();
    }
    assertThat(objects).hasSizeGreaterThan(1);
  }

  private static long size(Path file) {
    return file.toFile().length();
  }

  @Test
  void fileOfOneEmptyPageIsWhatCheckAndRepairSay() throws IOException {
    assertThatAnswersAgree(_ -> new byte[PAGE]);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void zeroedFileIsWhatCheckAndRepairSay() throws IOException {
    assertThatAnswersAgree(before -> new byte[before.length]);
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void cutFileIsWhatCheckAndRepairSay() throws IOException {
    assertThatAnswersAgree(before -> Arrays.copyOf(before, before.length / 2 / PAGE * PAGE));
    assertThatAnswersAgree(before -> Arrays.copyOf(before, before.length - PAGE));
    assertThatAnswersAgree(before -> Arrays.copyOf(before, before.length / 2 + 100));
    assertThatAnswersAgree(_ -> new byte[0]);
    assertThatAnswersAgree(before -> Arrays.copyOf(before, before.length + PAGE));
  }

  @Test
  void pageWithAFlippedBitIsWhatCheckAndRepairSay() throws IOException {
    for (int page = 0; page < (IS_LONG ? 8 : 1); page++) {
      int offset = page * PAGE + 200;
      assertThatAnswersAgree(
          before -> {
            byte[] flipped = before.clone();
            flipped[offset % before.length] ^= 1;
            return flipped;
          });
    }
  }

  @Test
  void swappedFileIsWhatCheckAndRepairSay() throws IOException {
    for (Path object : IS_LONG ? objects : objects.subList(0, 1)) {
      for (Path other : IS_LONG ? objects : List.of(objects.getLast())) {
        if (!other.equals(object)) {
          Path data = freshCopy();
          Files.copy(shared.resolve("data").resolve(other), replaced(data.resolve(object)));
          Files.copy(shared.resolve("data").resolve(object), replaced(data.resolve(other)));
          assertThatAnswersAgree(data, object + " and " + other);
        }
      }
    }
  }

  private static Path replaced(Path file) throws IOException {
    Files.delete(file);
    return file;
  }

  private void assertThatAnswersAgree(UnaryOperator<byte[]> damage) throws IOException {
    for (Path object : objects) {
      Path data = freshCopy();
      Files.write(data.resolve(object), damage.apply(Files.readAllBytes(data.resolve(object))));
      assertThatAnswersAgree(data, object.toString());
    }
  }

  private Path freshCopy() throws IOException {
    Path data = parent.resolve("data" + tries++);
    SampleDirectory.copy(shared.resolve("data"), data);
    return data;
  }

  private void assertThatAnswersAgree(Path data, String what) throws IOException {
    boolean isSound = Verification.run(data, parent, /* isDeep= */ false).isSound();
    Path target = data.resolveSibling(data.getFileName() + "-repaired");
    RepairReport report = Repair.into(data, target, parent);
    boolean isComplete = report.isComplete();
    Map<String, Object> opened = SampleDirectory.stateOrRefusals(data, false);
    Map<String, Object> repaired = SampleDirectory.stateOrRefusals(target, false);

    Map<String, Object> failures = new TreeMap<>();
    if (!SampleDirectory.wrong(expected, opened).isEmpty()) {
      failures.put("opened", SampleDirectory.wrong(expected, opened).keySet());
    }
    if (isSound && !opened.equals(expected)) {
      failures.put("sound, and opened", opened);
    }
    if (isComplete && !repaired.equals(expected)) {
      failures.put("complete, and repaired", repaired);
    }
    assertThat(failures).describedAs("%s: %s", what, report).isEmpty();
  }
}
