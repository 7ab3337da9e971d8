package dev.holdfast.archiver;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.faults.PowerLossDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The machine of an archive in a directory loses power at a step on its disk, while two runtimes
 * archive one after the other, make base images, delete old ones and purge. Afterwards the archive
 * is sound, has all that was reported as archived and nothing that was reported as purged, and a
 * runtime goes on with it.
 */
final class DirectoryArchivePowerLossTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  /** Of all steps. */
  private static final int STRIDE = LONG ? 1 : 29;

  private static final int IMAGES = LONG ? 2 : 1;
  private static final String PURGED = "to be purged";
  private static final List<String> TEXTS =
      IntStream.rangeClosed(1, 8).mapToObj(i -> i == 1 ? PURGED : "record " + i).toList();

  private final ArchivedJournals place = new ArchivedJournals();

  @AfterEach
  void delete() throws IOException {
    place.close();
  }

  private static ArchiveOptions options(ArchiveStore store) {
    return ArchiveOptions.to(store).withBaseBytes(1).withBasesMax(2);
  }

  /** Two runtimes of a data directory, one after the other. */
  private final class Program {
    private final String name;
    private final PowerLossDisk disk;
    private final DirectoryArchive store;
    private long archived;
    private boolean isPurged;

    Program(String name) throws IOException {
      this.name = name;
      Path root = Files.createDirectory(place.directory.resolve(name + "-disk"));
      this.disk = new PowerLossDisk(root);
      this.store =
          new DirectoryArchive(new PowerLossFileSystem(disk).of(root.resolve("mnt/archive")));
    }

    void run() throws IOException {
      write(TEXTS.subList(0, 5), false);
      write(TEXTS.subList(5, TEXTS.size()), true);
    }

    private void write(List<String> texts, boolean isPurge) throws IOException {
      try (ArchivedJournals.Opened opened = place.open(name)) {
        ArchiveWriter writer = opened.writer(options(store));
        for (String text : texts) {
          opened.write(text);
          place.clock.advance(Duration.ofSeconds(1));
          archive(writer);
        }
        if (isPurge) {
          writer.purgeBefore(2);
          archive(writer);
          isPurged = writer.purgedBefore() == 2;
        }
      }
    }

    private void archive(ArchiveWriter writer) throws IOException {
      try {
        writer.run();
      } finally {
        archived = Math.max(archived, writer.position());
      }
    }
  }

  /** An archive is late by it; a restore says that the archive cannot be read. */
  @Test
  void diskThatFailsWhileItListsIsAnErrorOfTheStore() throws IOException {
    PowerLossFileSystem system = new PowerLossFileSystem(new PowerLossDisk(place.directory));
    DirectoryArchive store = new DirectoryArchive(system.of(place.directory.resolve("mnt")));
    store.putIfAbsent("a", ArchiveContent.of(new byte[1]));
    system.listFault = new IOException("the disk is gone");
    assertThatThrownBy(() -> store.list("", "", 9)).isSameAs(system.listFault);
  }

  @Test
  void archiveIsSoundAndHasWhatWasReportedAfterACutAtAnyStep() throws IOException {
    Program undisturbed = new Program("undisturbed");
    undisturbed.run();
    assertThat(undisturbed.archived).isEqualTo(TEXTS.size());
    assertThat(undisturbed.isPurged).isTrue();
    long steps = undisturbed.disk.steps();
    assertThat(steps).isGreaterThan(100);
    for (long cut = steps; cut >= 0; cut -= STRIDE) {
      Program program = new Program("cut-" + cut);
      program.disk.cutPowerAfter(cut);
      try {
        program.run();
        assertThat(cut).isEqualTo(steps);
      } catch (PowerLossDisk.PowerLostException e) {
        assertThat(cut).isLessThan(steps);
      }
      for (int image = 0; image < IMAGES; image++) {
        check(program, program.name + "-" + image, cut * IMAGES + image);
      }
    }
  }

  private void check(Program program, String name, long seed) throws IOException {
    String step = program.disk.lastStep() + ", seed " + seed;
    Path root = Files.createDirectory(place.directory.resolve(name + "-image"));
    program.disk.writeCrashImage(root, seed);
    DirectoryArchive store = new DirectoryArchive(root.resolve("mnt/archive"));
    try {
      requireSound(store, step);
      requirePrefix(place.restored(store, name + "-found", new Latest()), program.archived, step);
    } catch (ArchiveException e) {
      // Refused: there is no archive yet, or it has no record.
      assertThat(program.archived).as(step + ", " + e.getMessage()).isZero();
    }
    if (program.isPurged) {
      assertThat(filesWith(PURGED, root)).as(step).isEmpty();
    }

    long last;
    try (ArchivedJournals.Opened opened = place.open(program.name)) {
      last = opened.journal.durablePosition();
      ArchiveWriter writer = opened.writer(options(store));
      writer.run();
      assertThat(writer.position()).as(step).isEqualTo(last);
    }
    if (last > 0) {
      requireSound(store, step);
      requirePrefix(place.restored(store, name + "-later", new Latest()), last, step);
    }
  }

  private static void requireSound(DirectoryArchive store, String step) throws IOException {
    assertThat(ArchiveCheck.run(store, Path.of("archive")).findings()).as(step).isEmpty();
  }

  /** What an image needs and all that follows, up to a record that was reported, or a later one. */
  private static void requirePrefix(List<String> restored, long archived, String step) {
    int end = restored.isEmpty() ? 0 : TEXTS.indexOf(restored.getLast()) + 1;
    assertThat(end).as(step).isGreaterThanOrEqualTo((int) archived);
    assertThat(restored).as(step).isEqualTo(TEXTS.subList(end - restored.size(), end));
  }

  private static List<Path> filesWith(String text, Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).filter(file -> has(file, text)).toList();
    }
  }

  private static boolean has(Path file, String text) {
    try {
      return Files.readString(file, ISO_8859_1).contains(text);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
