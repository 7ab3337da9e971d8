package dev.holdfast.system.power;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.examples.crash.Cell.Reply;
import dev.holdfast.examples.crash.CrashStorage;
import dev.holdfast.examples.crash.History;
import dev.holdfast.examples.crash.Workload;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.testkit.PowerLossDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power is cut before every step that the whole runtime makes on its disk (a seeded sample of
 * them in the default build), and what an operating system crash would leave is opened: everything
 * that was answered is there, everything else entirely or not at all.
 *
 * <p>The promises are those of the crash test, and so are the objects: see {@link History}.
 */
final class PowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long SEED = Long.getLong("power.seed", 1);
  private static final int CUTS = Integer.getInteger("power.cuts", LONG ? Integer.MAX_VALUE : 24);
  private static final int STEP_COUNT = 150;
  private static final Workload WORKLOAD = new Workload(SEED, 8, CrashStorage.SQLITE);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  @Test
  void answeredStepsSurviveAPowerCutBeforeEveryStepOnTheDisk() throws IOException {
    for (long cut : cuts(stepsOfAnUndisturbedRun())) {
      Path place = Files.createDirectories(directory.resolve("cut-" + cut));
      PowerLossDisk disk = new PowerLossDisk(Files.createDirectory(place.resolve("data")));

      List<String> violations = violationsAfterCut(place, disk, disk, cut);

      assertThat(violations)
          .as("seed %d, cut after step %d (%s), see %s", SEED, cut, disk.lastStep(), place)
          .isEmpty();
      delete(place);
    }
  }

  /** Would these tests notice? With a journal whose syncs do nothing they do. */
  @Test
  void diskThatDoesNotSyncIsFoundOut() throws IOException {
    long total = stepsOfAnUndisturbedRun();
    boolean found = false;
    for (long tenth = 1; tenth < 10 && !found; tenth++) {
      Path place = Files.createDirectories(directory.resolve("unsynced-" + tenth));
      PowerLossDisk disk = new PowerLossDisk(Files.createDirectory(place.resolve("data")));
      try {
        found =
            !violationsAfterCut(place, disk, new UnsyncedDisk(disk), total * tenth / 20).isEmpty();
      } catch (HoldfastException e) {
        found = true; // so much is missing that the directory cannot even be opened
      }
    }
    assertThat(found).isTrue();
  }

  private List<String> violationsAfterCut(
      Path place, PowerLossDisk disk, Disk seenByRuntime, long cut) throws IOException {
    History history = new History(WORKLOAD);
    disk.cutPowerAfter(cut);
    write(place.resolve("data"), seenByRuntime, history);
    Path image = crashImage(disk, place.resolve("image"), cut);
    checkKept(cutPowerInRecovery(image, place, cut), history);
    return history.violations();
  }

  private long stepsOfAnUndisturbedRun() throws IOException {
    Path data = Files.createDirectories(directory.resolve("undisturbed"));
    PowerLossDisk disk = new PowerLossDisk(data);
    History history = new History(WORKLOAD);
    write(data, disk, history);
    assertThat(history.violations()).isEmpty();
    assertThat(history.answeredCount()).isEqualTo(STEP_COUNT);
    assertThat(disk.steps()).isGreaterThan(STEP_COUNT);
    return disk.steps();
  }

  private static long[] cuts(long total) {
    return CUTS >= total
        ? LongStream.range(0, total).toArray()
        : new SplittableRandom(SEED).longs(CUTS, 0, total).distinct().sorted().toArray();
  }

  /** Takes steps until all are done or the power is off, then stops everything that still runs. */
  private static void write(Path data, Disk disk, History history) {
    SplittableRandom random = new SplittableRandom(SEED);
    try (ObjectRuntime runtime = RuntimeOnDisk.open(data, disk, WORKLOAD)) {
      for (int step = 0; step < STEP_COUNT; step++) {
        take(runtime, history, random);
      }
    } catch (HoldfastException e) {
      isOfThePowerCut(e);
    }
  }

  private static void take(ObjectRuntime runtime, History history, SplittableRandom random) {
    int cell = random.nextInt(WORKLOAD.cellCount());
    boolean abort = random.nextInt(40) == 0;
    history.begun(cell);
    try {
      history.answered(cell, WORKLOAD.step(runtime, cell, abort));
    } catch (InstanceResetException e) {
      if (!Workload.isAbort(e)) {
        throw e;
      }
      history.answered(cell, new Reply(0, false));
    }
  }

  private static Path crashImage(PowerLossDisk disk, Path image, long seed) throws IOException {
    Files.createDirectories(image);
    disk.writeCrashImage(image, SEED * 1_000_003 + seed);
    return image;
  }

  /** Every second time the power is cut once more, while the first cut is being repaired. */
  private static Path cutPowerInRecovery(Path image, Path place, long cut) throws IOException {
    if (cut % 2 == 0) {
      return image;
    }
    PowerLossDisk disk = new PowerLossDisk(image);
    disk.cutPowerAfter(new SplittableRandom(cut).nextLong(30));
    try {
      RuntimeOnDisk.open(image, disk, WORKLOAD).close();
    } catch (HoldfastException e) {
      isOfThePowerCut(e);
    }
    return crashImage(disk, place.resolve("image-of-image"), cut);
  }

  /** Twice: what the first opening has repaired, the second finds. */
  private static void checkKept(Path data, History history) throws IOException {
    for (int opening = 0; opening < 2; opening++) {
      try (ObjectRuntime runtime = RuntimeOnDisk.open(data, new PowerLossDisk(data), WORKLOAD)) {
        history.check(WORKLOAD.read(runtime));
      }
    }
  }

  private static void isOfThePowerCut(Throwable failure) {
    assertThat(failure).hasRootCauseInstanceOf(PowerLossDisk.PowerLostException.class);
  }

  private static void delete(Path place) throws IOException {
    try (var files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
