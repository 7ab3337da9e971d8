package dev.holdfast.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.faults.ForwardingDisk;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.verify.SampleDirectory.Notes;
import dev.holdfast.verify.SampleDirectory.Refusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Power cuts while a directory is repaired. The source does not change; a copy has its name only if
 * it is whole and durable; a directory that is repaired itself loses nothing.
 */
final class RepairPowerLossTest {

  private static final boolean IS_LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int SEEDS = IS_LONG ? 10 : 1;
  private static final int CUTS = IS_LONG ? 60 : 1;

  @TempDir private static Path shared;
  private static Map<String, Object> expected;

  @TempDir private Path parent;

  private enum Damage {
    CATALOG,
    FILE,
    JOURNAL
  }

  static List<Damage> ofCopies() {
    return IS_LONG ? List.of(Damage.values()) : List.of(Damage.FILE);
  }

  static List<Damage> ofTheDirectoryItself() {
    return IS_LONG ? List.of(Damage.CATALOG, Damage.FILE) : List.of(Damage.CATALOG);
  }

  @BeforeAll
  static void write() throws IOException {
    Path alive = shared.resolve("alive");
    Path data = shared.resolve("data");
    try (ObjectRuntime runtime = SampleDirectory.open(alive, true)) {
      write(runtime, "saved");
    }
    try (ObjectRuntime runtime = SampleDirectory.open(alive, true)) {
      write(runtime, "late");
      CopyAtRest.of(alive, data);
    }
    expected = stateOfCopy(data, shared.resolve("copy"));
    assertThat(expected.values()).noneMatch(Refusal.class::isInstance);
  }

  private static void write(ObjectRuntime runtime, String round) {
    for (String name : List.of("small", "other", "alarm")) {
      Notes notes = runtime.namespace("notes", Notes.class).getByName(name);
      notes.put(round, "text");
      notes.fill(round, 20, 500);
    }
  }

  private static Map<String, Object> stateOfCopy(Path data, Path copy) throws IOException {
    SampleDirectory.copy(data, copy);
    Map<String, Object> state = SampleDirectory.stateOrRefusals(copy, true);
    FileTree.delete(new FileDisk(), copy);
    return state;
  }

  /** A directory that can be cut off power: a damaged data directory, and room beside it. */
  private final class Root {
    final Path path;
    final Path data;
    final Path target;
    final Path scratch;
    final PowerLossDisk disk;

    Root(String name, Damage damage) throws IOException {
      path = Files.createDirectory(parent.resolve(name));
      data = path.resolve("data");
      target = path.resolve("target");
      scratch = Files.createDirectory(path.resolve("scratch"));
      SampleDirectory.copy(shared.resolve("data"), data);
      damage(data, damage);
      disk = new PowerLossDisk(path);
    }

    /** {@return what a power cut leaves now} */
    Path image(long seed) throws IOException {
      Path image = Files.createDirectory(parent.resolve(path.getFileName() + "-image-" + seed));
      disk.writeCrashImage(image, seed);
      return image;
    }
  }

  private static void damage(Path data, Damage damage) throws IOException {
    switch (damage) {
      case CATALOG -> Files.delete(data.resolve("sqlite/catalog.sqlite"));
      case FILE -> flip(files(data.resolve("sqlite/notes"), ".sqlite").getFirst(), 200);
      case JOURNAL -> {
        Path newest = files(data.resolve("journal"), ".log").getLast();
        flip(newest, groupFromLast(newest, 3) + 70);
      }
    }
  }

  private static List<Path> files(Path directory, String end) throws IOException {
    try (Stream<Path> found = Files.walk(directory)) {
      return found.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  private static void flip(Path file, int offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[offset] ^= 1;
    Files.write(file, bytes);
  }

  private static int groupFromLast(Path segment, int fromLast) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    int left = fromLast;
    for (int at = bytes.length - 8; at > 0; at -= 8) {
      if (new String(bytes, at, 4, StandardCharsets.US_ASCII).equals("HGRP") && --left == 0) {
        return at;
      }
    }
    throw new IllegalStateException("fewer groups");
  }

  @ParameterizedTest
  @MethodSource("ofCopies")
  void everythingIsDurableBeforeTheCopyGetsItsName(Damage damage) throws IOException {
    Root root = new Root("root", damage);
    Map<String, Integer> before = SampleDirectory.content(root.data);
    IOException taken = new IOException("the test ends here");
    ForwardingDisk disk =
        new ForwardingDisk(root.disk) {
          @Override
          public void move(Path from, Path to) throws IOException {
            if (to.equals(root.target)) {
              throw taken;
            }
            super.move(from, to);
          }
        };
    assertThatThrownBy(() -> Repair.into(disk, root.data, root.target, root.scratch, null))
        .hasCause(taken);
    Path made = root.path.resolve("target.unfinished/data");
    Map<String, Object> whole = stateOfCopy(made, parent.resolve("copy"));
    assertThat(whole.values()).noneMatch(Refusal.class::isInstance);
    if (damage != Damage.JOURNAL) {
      assertThat(whole).isEqualTo(expected);
    }
    for (int seed = 0; seed < SEEDS; seed++) {
      Path image = root.image(seed);
      assertThat(SampleDirectory.content(image.resolve("data"))).isEqualTo(before);
      assertThat(SampleDirectory.content(image.resolve("target.unfinished/data")))
          .isEqualTo(SampleDirectory.content(made));
      assertThat(
              Verification.run(image.resolve("target.unfinished/data"), parent, false).findings())
          .isEmpty();
    }
  }

  @Test
  void powerCutAtAnyStepLeavesNoCopyAndTheRepairCanBeRepeated() throws IOException {
    for (Damage damage : IS_LONG ? Damage.values() : new Damage[] {Damage.JOURNAL}) {
      Root whole = new Root("whole-" + damage, damage);
      Map<String, Integer> before = SampleDirectory.content(whole.data);
      Repair.into(whole.disk, whole.data, whole.target, whole.scratch, null);
      long steps = whole.disk.steps() - 20;
      // Two runs may differ by a few steps, so the last ones, which name the copy, are left out.
      for (int cut = 0; cut < CUTS; cut++) {
        long step = steps * (cut + 1) / (CUTS + 1);
        Root root = new Root(damage + "-" + step, damage);
        root.disk.cutPowerAfter(step);
        assertThatThrownBy(() -> Repair.into(root.disk, root.data, root.target, root.scratch, null))
            .isInstanceOfAny(IOException.class, HoldfastException.class);
        assertThat(SampleDirectory.content(root.data)).isEqualTo(before);
        assertThat(root.target).doesNotExist();

        Path image = root.image(step);
        assertThat(SampleDirectory.content(image.resolve("data"))).isEqualTo(before);
        assertThat(image.resolve("target")).doesNotExist();
        if (IS_LONG || cut == 0) {
          Repair.into(image.resolve("data"), image.resolve("target"), parent);
          assertThat(SampleDirectory.content(image.resolve("data"))).isEqualTo(before);
          assertThat(Verification.run(image.resolve("target"), parent, false).findings()).isEmpty();
          assertThat(image.resolve("target.unfinished")).doesNotExist();
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ofTheDirectoryItself")
  void powerCutInARepairOfTheDirectoryItselfLosesNothing(Damage damage) throws IOException {
    Root whole = new Root("whole", damage);
    Repair.inPlace(whole.disk, whole.data, whole.scratch, null);
    assertThat(SampleDirectory.stateOrRefusals(whole.data, true)).isEqualTo(expected);
    long steps = whole.disk.steps();
    assertThat(steps).isGreaterThan(3);
    for (int cut = 0; cut < Math.min(CUTS, steps); cut++) {
      long step = steps * (cut + 1) / (CUTS + 1);
      Root root = new Root("cut-" + cut, damage);
      root.disk.cutPowerAfter(step);
      assertThatThrownBy(() -> Repair.inPlace(root.disk, root.data, root.scratch, null))
          .isInstanceOfAny(IOException.class, HoldfastException.class);
      Path image = root.image(step).resolve("data");
      Repair.inPlace(image, parent);
      assertThat(SampleDirectory.stateOrRefusals(image, true))
          .describedAs(root.disk.lastStep())
          .isEqualTo(expected);
    }
  }
}
