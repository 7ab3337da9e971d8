package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal with missing, older or foreign parts is refused, and nothing is changed. */
final class MissingJournalTest {

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));

  @TempDir Path work;

  private static final class Opened implements AutoCloseable {
    final DirectoryLock lock;
    final FileJournal journal;

    Opened(Path data, Disk disk) {
      lock = DirectoryLock.acquire(data, disk);
      try {
        journal = FileJournal.open(lock, new VirtualClock(), Journals.SMALL.withDisk(disk));
      } catch (HoldfastException e) {
        lock.close();
        throw e;
      }
    }

    @Override
    public void close() {
      try (lock) {
        journal.close();
      }
    }
  }

  private static Opened open(Path data) {
    return new Opened(data, new FileDisk());
  }

  private static void write(Opened opened, int count) {
    for (int i = 0; i < count; i++) {
      Journals.write(opened.journal, "z".repeat(3500));
    }
  }

  /** Writes some segments and leaves the directory as a killed process does. */
  private Path killed(String name, int count) {
    Path copy = work.resolve(name + " killed");
    try (Opened opened = open(work.resolve(name))) {
      write(opened, count);
      Journals.awaitReviews(opened.journal);
      copy(work.resolve(name), copy);
    }
    return copy;
  }

  private Path closed(String name, int count) {
    Path data = work.resolve(name);
    try (Opened opened = open(data)) {
      write(opened, count);
    }
    return data;
  }

  private static void assertRefused(
      Path data, Class<? extends HoldfastException> type, String... messages) {
    Map<String, String> before = contents(data);
    assertThatThrownBy(() -> open(data)).isInstanceOf(type).hasMessageContainingAll(messages);
    assertThat(contents(data)).isEqualTo(before);
  }

  @Test
  void deletedNewestSegmentIsRefused() throws IOException {
    Path data = killed("data", 10);
    Path newest = Directories.list(data.resolve("journal"), ".log").getLast();
    Files.delete(newest);

    assertRefused(data, JournalCorruptException.class, newest.toString(), "is missing", "one copy");
  }

  @Test
  void segmentThatWasBegunAndHasNoGroupIsMissedToo() throws IOException {
    Path data = closed("data", 10);
    Path newest = Directories.list(data.resolve("journal"), ".log").getLast();
    Files.delete(newest);

    assertRefused(data, JournalCorruptException.class, newest.toString(), "is missing");
  }

  @Test
  void deletedJournalIsRefusedWithItsDirectoryAndWithout() throws IOException {
    Path data = closed("data", 3);
    for (Path file : Directories.list(data.resolve("journal"))) {
      Files.delete(file);
    }
    assertRefused(data, JournalCorruptException.class, "is missing", "journal.mark");
    Files.delete(data.resolve("journal"));

    assertRefused(data, JournalCorruptException.class, "is missing", "journal.mark");
    assertThat(data.resolve("journal")).doesNotExist();
  }

  @Test
  void journalOfAnotherDirectoryIsRefused() throws IOException {
    Path data = closed("data", 10);
    Path other = closed("other", 20);
    delete(data.resolve("journal"));
    copy(other.resolve("journal"), data.resolve("journal"));

    assertRefused(data, JournalCorruptException.class, "does not belong to the journal");
  }

  @Test
  void olderCopyOfTheJournalIsRefused() {
    Path data = closed("data", 2);
    copy(data.resolve("journal"), work.resolve("copy"));
    closed("data", 1);
    delete(data.resolve("journal"));
    copy(work.resolve("copy"), data.resolve("journal"));

    assertRefused(data, JournalCorruptException.class, "ends at position 2", "durable up to 3");
  }

  @Test
  void olderCopyOfTheWholeDirectoryOpens() {
    Path data = closed("data", 2);
    Path copy = work.resolve("copy");
    copy(data, copy);
    closed("data", 10);

    try (Opened opened = open(copy)) {
      assertThat(opened.journal.lastPosition()).isEqualTo(2);
      assertThat(Journals.write(opened.journal, "more")).isEqualTo(3);
    }
  }

  @Test
  void missingMarkIsRefused() throws IOException {
    Path data = closed("data", 2);
    Files.delete(data.resolve("journal.mark"));

    assertRefused(data, DataDirectoryException.class, "journal.mark", "is missing");
  }

  @Test
  void damagedMarkIsRefused() throws IOException {
    Path data = closed("data", 2);
    byte[] whole = Files.readAllBytes(data.resolve("journal.mark"));
    for (int at = 0; at < whole.length; at += LONG ? 1 : 9) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 1;
      Files.write(data.resolve("journal.mark"), damaged);
      assertRefused(data, DataDirectoryException.class, "journal.mark");
    }
    Files.write(data.resolve("journal.mark"), new byte[0]);
    assertRefused(data, DataDirectoryException.class, "journal.mark", "damaged");
  }

  @Test
  void journalOfAnOlderVersionIsAdopted() throws IOException {
    Path data = Files.createDirectory(work.resolve("data"));
    try (FileJournal journal = Journals.open(data.resolve("journal"))) {
      Journals.write(journal, "old");
    }
    assertThat(data.resolve("journal.mark")).doesNotExist();
    try (Opened opened = open(data)) {
      assertThat(Journals.recovered(opened.journal)).containsExactly("old");
    }
    Files.delete(Directories.list(data.resolve("journal"), ".log").getLast());

    assertRefused(data, JournalCorruptException.class, "is missing");
  }

  /** With the power cut before each step of alternating writes to the mark and the segments. */
  @Test
  void noPowerCutMakesTheMarkRefuseTheJournal() throws IOException {
    boolean done = false;
    for (int step = 0; !done; step += LONG ? 1 : 5) {
      Path root = Files.createDirectory(work.resolve("root-" + step));
      PowerLossDisk disk = new PowerLossDisk(root);
      disk.cutPowerAfter(step);
      List<String> acknowledged = new ArrayList<>();
      done = run(root.resolve("data"), disk, acknowledged);
      for (int seed = 0; seed < (LONG ? 5 : 1); seed++) {
        Path image = work.resolve("image-" + step + "-" + seed);
        disk.writeCrashImage(image, seed);
        try (Opened opened = open(image.resolve("data"))) {
          assertThat(Journals.recovered(opened.journal))
              .as("step " + step + ", seed " + seed)
              .startsWith(acknowledged.toArray(String[]::new));
        }
      }
    }
  }

  /** {@return whether the run was completed} */
  private static boolean run(Path data, Disk disk, List<String> acknowledged) {
    try {
      for (int run = 0; run < 2; run++) {
        try (Opened opened = new Opened(data, disk)) {
          for (int i = 0; i < 3; i++) {
            String text = run + "-" + i + "z".repeat(5000);
            Journals.write(opened.journal, text);
            acknowledged.add(text);
          }
        }
      }
      return true;
    } catch (HoldfastException e) {
      return false;
    }
  }

  /** Fields have the offsets that {@code docs/formats/journal.md} states. */
  @Test
  void markIsWrittenByteForByteAsTheFormatSays() throws IOException {
    Path data = work.resolve("data");
    AtomicLong salts = new AtomicLong(1000);
    try (DirectoryLock lock = DirectoryLock.acquire(data, new FileDisk());
        FileJournal journal =
            FileJournal.open(
                lock, new VirtualClock(), Journals.SMALL.withSalts(salts::getAndIncrement))) {
      journal.start(List.of());
      Journals.write(journal, "first");
      Journals.write(journal, "second");
    }
    byte[] mark = Files.readAllBytes(data.resolve("journal.mark"));

    assertThat(HexFormat.of().formatHex(mark))
        .isEqualTo(
            "48464a4e4d41524b" // magic
                + "00000002" // version
                + HexFormat.of().toHexDigits(ByteBuffer.wrap(mark).getInt(12))
                + "00000000000003e8" // journal id
                + "0000000000000002" // end
                + "0000000000000001" // newest segment
                + "00000000000003e9" // salt
                + "0000000000000003" // tail position
                + "0000000000001120" // tail offset
                + "0000000000001160" // end offset
                + "0000000000000003" // low-water mark
                + "00".repeat(16));
    byte[] segment = Files.readAllBytes(data.resolve("journal/0000000000000001.log"));
    assertThat(ByteBuffer.wrap(segment).getLong(64)).as("is marked").isEqualTo(1);
  }

  private static void copy(Path from, Path to) {
    for (Map.Entry<Path, byte[]> file : files(from).entrySet()) {
      Path target = to.resolve(from.relativize(file.getKey()));
      Directories.write(
          target.getParent(), Map.of(target.getFileName().toString(), file.getValue()));
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.toList().reversed()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<Path, byte[]> files(Path directory) {
    Map<Path, byte[]> files = new TreeMap<>();
    try (Stream<Path> found = Files.walk(directory)) {
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        try {
          files.put(file, Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
          // A spare that the journal renames or deletes meanwhile is no part of a killed directory.
          assertThat(file.toString()).contains(".spare");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** All content except the owner of the directory. */
  private static Map<String, String> contents(Path directory) {
    Map<String, String> contents = new TreeMap<>();
    files(directory)
        .forEach(
            (file, content) -> contents.put(file.toString(), HexFormat.of().formatHex(content)));
    contents.remove(directory.resolve("LOCK").toString());
    return contents;
  }
}
