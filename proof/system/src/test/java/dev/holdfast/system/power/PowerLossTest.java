package dev.holdfast.system.power;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.crash.Cell.Reply;
import dev.holdfast.crash.CrashStorage;
import dev.holdfast.crash.History;
import dev.holdfast.crash.Workload;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.Disk;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The power is cut before every step that the whole runtime makes on its disk (a seeded sample of
 * them in the default build), and the state that a crash of the operating system would leave is
 * opened: everything that was answered is present, everything else entirely or not at all.
 *
 * <p>The promises are those of the crash test, and so are the objects: see {@link History}.
 */
final class PowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final long SEED = Long.getLong("power.seed", 1);
  private static final int CUTS = Integer.getInteger("power.cuts", LONG ? Integer.MAX_VALUE : 16);
  private static final int STEP_COUNT = 150;
  private static final int CELL_COUNT = 8;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path directory;

  /** One engine's objects, in a directory of their own. */
  private record Place(Path directory, Workload workload) {

    Place in(String name) throws IOException {
      return new Place(Files.createDirectories(directory.resolve(name)), workload);
    }

    Path data() {
      return directory.resolve("data");
    }

    Path image() {
      return directory.resolve("image");
    }

    DatabaseImages databaseImages() {
      return databaseImagesOf(data());
    }

    static DatabaseImages databaseImagesOf(Path data) {
      return new DatabaseImages(RuntimeOnDisk.rocksDb(data));
    }

    boolean hasRocksDb() {
      return workload.storage() == CrashStorage.ROCKSDB;
    }
  }

  private Place place(CrashStorage storage) {
    return new Place(directory, new Workload(SEED, CELL_COUNT, storage));
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "ROCKSDB"})
  void answeredStepsSurviveAPowerCutBeforeEveryStepOnTheDisk(CrashStorage storage)
      throws IOException {
    Place all = place(storage);
    for (long cut : cuts(stepsOfAnUndisturbedRun(all))) {
      Place place = all.in("cut-" + cut);
      PowerLossDisk disk = new PowerLossDisk(Files.createDirectory(place.data()));

      List<String> violations = violationsAfterCut(place, disk, disk, cut);

      assertThat(violations)
          .as("seed %d, cut after step %d (%s), see %s", SEED, cut, disk.lastStep(), place)
          .isEmpty();
      delete(place.directory());
    }
  }

  /** The tests detect a journal whose syncs do nothing. */
  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "ROCKSDB"})
  void diskThatDoesNotSyncIsFoundOut(CrashStorage storage) throws IOException {
    Place all = place(storage);
    long total = stepsOfAnUndisturbedRun(all);
    boolean found = false;
    for (long tenth = 1; tenth < 10 && !found; tenth++) {
      Place place = all.in("unsynced-" + tenth);
      PowerLossDisk disk = new PowerLossDisk(Files.createDirectory(place.data()));
      try {
        found =
            !violationsAfterCut(place, disk, new UnsyncedDisk(disk), total * tenth / 20).isEmpty();
      } catch (HoldfastException e) {
        found = true; // so much is missing that the directory cannot even be opened
      }
    }
    assertThat(found).isTrue();
  }

  /** The journal is cut below a low-water mark, so records below it exist nowhere else. */
  @Test
  void databaseThatForgetsWhatItHasFlushedIsFoundOut() throws IOException {
    Place place = place(CrashStorage.ROCKSDB).in("forgetful");
    DatabaseImages images = place.databaseImages();
    History history = new History(place.workload());
    PowerLossDisk disk = new PowerLossDisk(Files.createDirectory(place.data()));
    write(place, disk, images, history);
    images.writeForgetfulImage(RuntimeOnDisk.rocksDb(place.data()));

    assertThatThrownBy(
            () -> {
              checkKept(place.workload(), place.data(), history);
              assertThat(history.violations()).isEmpty();
            })
        .isInstanceOfAny(HoldfastException.class, AssertionError.class);
  }

  private List<String> violationsAfterCut(
      Place place, PowerLossDisk disk, Disk seenByRuntime, long cut) throws IOException {
    History history = new History(place.workload());
    DatabaseImages images = place.databaseImages();
    disk.cutPowerAfter(cut);
    write(place, seenByRuntime, images, history);
    writeCrashImage(place, disk, images, place.image(), cut);
    checkKept(place.workload(), cutPowerInRecovery(place, cut), history);
    return history.violations();
  }

  private long stepsOfAnUndisturbedRun(Place all) throws IOException {
    Place place = all.in("undisturbed");
    PowerLossDisk disk = new PowerLossDisk(Files.createDirectories(place.data()));
    History history = new History(place.workload());
    write(place, disk, place.databaseImages(), history);
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
  private static void write(Place place, Disk disk, DatabaseImages images, History history) {
    SplittableRandom random = new SplittableRandom(SEED);
    try (ObjectRuntime runtime = RuntimeOnDisk.open(place.data(), disk, place.workload(), images)) {
      for (int step = 0; step < STEP_COUNT; step++) {
        take(place.workload(), runtime, history, random);
      }
    } catch (HoldfastException e) {
      isOfThePowerCut(e);
    }
  }

  private static void take(
      Workload workload, ObjectRuntime runtime, History history, SplittableRandom random) {
    int cell = random.nextInt(workload.cellCount());
    boolean abort = random.nextInt(40) == 0;
    history.begun(cell);
    try {
      history.answered(cell, workload.step(runtime, cell, abort));
    } catch (InstanceResetException e) {
      if (!Workload.isAbort(e)) {
        throw e;
      }
      history.answered(cell, new Reply(0, false));
    }
  }

  private static void writeCrashImage(
      Place place, PowerLossDisk disk, DatabaseImages images, Path image, long seed)
      throws IOException {
    Files.createDirectories(image);
    disk.writeCrashImage(image, SEED * 1_000_003 + seed);
    if (place.hasRocksDb() && Files.exists(RuntimeOnDisk.rocksDb(place.data()))) {
      images.writeCrashImage(RuntimeOnDisk.rocksDb(image), SEED * 1_000_003 + seed);
    }
  }

  /** Every second time the power is cut again, during the recovery from the first cut. */
  private static Path cutPowerInRecovery(Place place, long cut) throws IOException {
    Path image = place.image();
    if (cut % 2 == 0) {
      return image;
    }
    PowerLossDisk disk = new PowerLossDisk(image);
    DatabaseImages images = Place.databaseImagesOf(image);
    disk.cutPowerAfter(new SplittableRandom(cut).nextLong(30));
    try {
      RuntimeOnDisk.open(image, disk, place.workload(), images).close();
    } catch (HoldfastException e) {
      isOfThePowerCut(e);
    }
    Path second = place.directory().resolve("image-of-image");
    writeCrashImage(place, disk, images, second, cut);
    return second;
  }

  /** Twice: the second opening finds the repairs of the first. */
  private static void checkKept(Workload workload, Path data, History history) throws IOException {
    for (int opening = 0; opening < 2; opening++) {
      try (ObjectRuntime runtime =
          RuntimeOnDisk.open(
              data, new PowerLossDisk(data), workload, Place.databaseImagesOf(data))) {
        history.check(workload.read(runtime));
      }
    }
  }

  /** Other failures do not end the test: on a disk that does not sync they are expected. */
  private static void isOfThePowerCut(HoldfastException failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    if (!(root instanceof PowerLossDisk.PowerLostException)) {
      throw failure;
    }
  }

  private static void delete(Path place) throws IOException {
    try (var files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
