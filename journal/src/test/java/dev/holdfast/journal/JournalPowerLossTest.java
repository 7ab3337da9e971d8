package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** Cuts the power before every step of the journal, and checks the recovered records. */
final class JournalPowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  private static final JournalOptions TINY =
      JournalOptions.DEFAULT
          .withSegmentBytes(12288)
          .withGatherBytesMax(64 << 10)
          .withHeldSegmentsMax(2);

  @Test
  void nothingAcknowledgedIsLostWhereverThePowerIsCut() throws IOException {
    long programs = LONG ? 40 : 1;
    for (long seed = 1; seed <= programs; seed++) {
      long steps = stepsOf(seed);
      for (long step = 0; step <= steps; step++) {
        cutAndCheck(seed, step);
      }
    }
  }

  private static long stepsOf(long seed) throws IOException {
    Path root = Files.createTempDirectory("holdfast-power");
    try {
      PowerLossDisk disk = new PowerLossDisk(root);
      new CrashProgram(TINY, seed).run(root.resolve("journal"), disk, 12, 1);
      return disk.steps();
    } finally {
      deleteAll(root);
    }
  }

  private static void cutAndCheck(long seed, long step) throws IOException {
    Path root = Files.createTempDirectory("holdfast-power");
    try {
      Path data = Files.createDirectory(root.resolve("data"));
      PowerLossDisk disk = new PowerLossDisk(data);
      disk.cutPowerAfter(step);
      CrashProgram program = new CrashProgram(TINY, seed);
      program.run(data.resolve("journal"), disk, 12, 1);
      for (int imageSeed = 0; imageSeed < (LONG ? 12 : 3); imageSeed++) {
        Path image = root.resolve("image-" + imageSeed);
        disk.writeCrashImage(image, imageSeed);
        String what =
            "program %d, power cut after step %d (%s), image %d"
                .formatted(seed, step, disk.lastStep(), imageSeed);
        boolean recoveryToo = imageSeed == 0 || LONG;
        assertThatCode(() -> check(program, image, recoveryToo))
            .as(what)
            .doesNotThrowAnyException();
      }
    } finally {
      deleteAll(root);
    }
  }

  /** Opens an image; on request first with the power cut before each step of opening. */
  private static void check(CrashProgram program, Path image, boolean recoveryToo)
      throws IOException {
    boolean opened = !recoveryToo;
    for (long step = 0; !opened; step++) {
      PowerLossDisk disk = new PowerLossDisk(image);
      disk.cutPowerAfter(step);
      opened = opens(image, disk);
      Path again = image.resolveSibling("again");
      disk.writeCrashImage(again, step);
      check(program, again, new FileDisk());
      deleteAll(again);
    }
    check(program, image, new FileDisk());
  }

  private static boolean opens(Path image, PowerLossDisk disk) {
    try {
      open(image, disk).close();
      return true;
    } catch (DataDirectoryException e) {
      return false;
    }
  }

  private static void check(CrashProgram program, Path image, FileDisk disk) {
    try (FileJournal journal = open(image, disk)) {
      program.check(journal.recoveryLog(), journal.lastPosition());
    }
  }

  private static FileJournal open(Path image, Disk disk) {
    return FileJournal.open(image.resolve("journal"), new VirtualClock(), TINY.withDisk(disk));
  }

  /**
   * A process dies, the machine does not: its unsynced writes are in the page cache and are
   * recovered. Once recovered, they must survive a power cut.
   */
  @Test
  void whatWasRecoveredAfterTheProcessDiedSurvivesAPowerCut() throws IOException {
    long steps = stepsOf(1);
    for (long step = 0; step <= steps; step++) {
      Path root = Files.createTempDirectory("holdfast-power");
      try {
        Path data = Files.createDirectory(root.resolve("data"));
        PowerLossDisk disk = new PowerLossDisk(data);
        disk.cutPowerAfter(step);
        CrashProgram program = new CrashProgram(TINY, 1);
        program.run(data.resolve("journal"), disk, 12, 1);
        disk.cutPowerAfter(Long.MAX_VALUE);
        recoverAndCutPower(program, data, disk);
      } finally {
        deleteAll(root);
      }
    }
  }

  private static void recoverAndCutPower(CrashProgram program, Path data, PowerLossDisk disk)
      throws IOException {
    try (FileJournal journal = open(data, disk)) {
      program.adopt(journal);
      for (int seed = 0; seed < 3; seed++) {
        Path image = data.resolveSibling("image-" + seed);
        disk.writeCrashImage(image, seed);
        check(program, image, new FileDisk());
      }
    }
  }

  @Test
  void groupThatAFailedSyncGaveUpIsDurableOnceItWasRecovered() throws IOException {
    Path root = Files.createTempDirectory("holdfast-power");
    try {
      Path data = Files.createDirectory(root.resolve("data"));
      PowerLossDisk disk = new PowerLossDisk(data);
      try (FileJournal journal = open(data, disk)) {
        Journals.write(journal, "acknowledged");
        disk.failNextForce(file -> file.toString().endsWith(".log"));
        long position = Journals.append(journal, "given up by the kernel");
        assertThatThrownBy(() -> journal.awaitDurable(position))
            .isInstanceOf(JournalFailedException.class);
      }
      List<String> recovered;
      try (FileJournal journal = open(data, disk)) {
        recovered = Journals.recovered(journal);
        disk.writeCrashImage(root.resolve("image"), 0);
      }
      try (FileJournal journal = open(root.resolve("image"), new FileDisk())) {
        assertThat(Journals.recovered(journal)).hasSize(2).isEqualTo(recovered);
      }
    } finally {
      deleteAll(root);
    }
  }

  @Property(tries = 40, shrinking = ShrinkingMode.OFF)
  void severalIncarnationsNeverLoseOrResurrectARecord(@ForAll long seed) throws IOException {
    for (int i = 0; i < (LONG ? 50 : 1); i++) {
      runIncarnations(seed + i);
    }
  }

  private static void runIncarnations(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Path root = Files.createTempDirectory("holdfast-power");
    try {
      CrashProgram program = new CrashProgram(TINY, random.nextLong());
      Path data = Files.createDirectory(root.resolve("data-0"));
      for (int incarnation = 1; incarnation <= 5; incarnation++) {
        PowerLossDisk disk = new PowerLossDisk(data);
        disk.cutPowerAfter(random.nextLong(120));
        program.run(data.resolve("journal"), disk, 15, 1 + random.nextInt(4));
        data = root.resolve("data-" + incarnation);
        disk.writeCrashImage(data, random.nextLong());
      }
      program.run(data.resolve("journal"), new FileDisk(), 1, 1);
    } finally {
      deleteAll(root);
    }
  }

  private static void deleteAll(Path root) throws IOException {
    List<Path> all;
    try (Stream<Path> paths = Files.walk(root)) {
      all = paths.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : all) {
      Files.delete(path);
    }
  }
}
