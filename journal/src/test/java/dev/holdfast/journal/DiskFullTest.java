package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A full disk refuses records before they are appended, and only until there is room again. */
final class DiskFullTest {

  private static final JournalOptions OPTIONS = Journals.SMALL.withSegmentBytes(64 << 10);

  @TempDir Path directory;

  @Test
  void recordWithoutRoomIsRefusedAndTheJournalGoesOnWhenThereIsRoom() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    disk.limitSpace(300 << 10);
    List<String> written = new ArrayList<>();
    try (FileJournal journal = Journals.open(directory, OPTIONS.withDisk(disk))) {
      fill(journal, written);
      assertThat(journal.failure()).isNull();
      assertThat(journal.lastPosition()).isEqualTo(written.size());
      disk.heal();
      Journals.write(journal, "room again");
      written.add("room again");
    }
    assertThat(Journals.reopened(directory)).isEqualTo(written);
  }

  @Test
  void recordTooLargeForTheDiskDoesNotKeepSmallOnesOut() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    disk.limitSpace(300 << 10);
    try (FileJournal journal = Journals.open(directory, OPTIONS.withDisk(disk))) {
      Journals.write(journal, "a");
      assertThatThrownBy(() -> Journals.append(journal, new byte[1 << 20]))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("nothing was appended");
      assertThat(Journals.write(journal, "b")).isEqualTo(2);
    }
    assertThat(Journals.reopened(directory)).containsExactly("a", "b");
  }

  @Test
  void virtualThreadIsRefusedToo() throws InterruptedException {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    disk.limitSpace(0);
    List<Throwable> errors = new ArrayList<>();
    try (FileJournal journal = Journals.open(directory, OPTIONS.withDisk(disk))) {
      Thread.startVirtualThread(
              () -> {
                try {
                  Journals.write(journal, "a");
                } catch (DataDirectoryException e) {
                  errors.add(e);
                }
              })
          .join();
    }
    assertThat(errors).singleElement().isInstanceOf(DataDirectoryException.class);
  }

  /** The first write records that the journal is in use, and there is no room for it. */
  @Test
  void directoryThatCannotBeOpenedOnAFullDiskSaysWhy() {
    FaultyDisk disk = new FaultyDisk(new FileDisk());
    try (DirectoryLock lock = DirectoryLock.acquire(directory, disk)) {
      try (FileJournal journal = FileJournal.open(lock, new VirtualClock(), OPTIONS)) {
        Journals.write(journal, "a");
      }
      disk.limitSpace(0);
      assertThatThrownBy(() -> FileJournal.open(lock, new VirtualClock(), OPTIONS.withDisk(disk)))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining(directory.resolve("journal.mark").toString())
          .hasMessageContaining("Free some space on the disk");
      disk.heal();
      FileJournal.open(lock, new VirtualClock(), OPTIONS.withDisk(disk)).close();
    }
    assertThat(Journals.reopened(directory.resolve("journal"))).containsExactly("a");
  }

  @Test
  void realFullFileSystemLosesNothing() throws Exception {
    Path mount = Files.createDirectory(directory.resolve("small"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", mount.toString()),
        "a small file system cannot be mounted here (needs Linux and root)");
    try {
      Path journalDirectory = mount.resolve("journal");
      List<String> written = new ArrayList<>();
      try (FileJournal journal = Journals.open(journalDirectory, OPTIONS)) {
        Path ballast = Files.write(mount.resolve("ballast"), new byte[100 << 10]);
        fill(journal, written);
        assertThat(journal.failure()).isNull();
        Files.delete(ballast);
        Journals.write(journal, "room again");
        written.add("room again");
      }
      assertThat(Journals.reopened(journalDirectory)).isEqualTo(written);
    } finally {
      run("umount", mount.toString());
    }
  }

  /** Writes until there is no room, and a few times more. */
  private static void fill(FileJournal journal, List<String> written) {
    int refused = 0;
    for (int i = 0; refused < 3; i++) {
      String text = i + "q".repeat(5000);
      try {
        Journals.write(journal, text);
        written.add(text);
      } catch (DataDirectoryException e) {
        assertThat(e).hasMessageContaining("nothing was appended");
        refused++;
      }
    }
  }

  private static boolean run(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
