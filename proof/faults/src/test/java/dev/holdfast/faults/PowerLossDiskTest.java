package dev.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.faults.PowerLossDisk.PowerLostException;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PowerLossDiskTest {

  private static final int SEEDS = 60;

  @TempDir Path work;

  private Path root;
  private PowerLossDisk disk;

  @BeforeEach
  void makeDisk() throws IOException {
    root = Files.createDirectory(work.resolve("data"));
    disk = new PowerLossDisk(root);
  }

  @Test
  void syncedFileInASyncedDirectoryAlwaysSurvives() throws IOException {
    writeSynced("f", "old");
    assertThat(images()).containsOnly("f=old");
  }

  @Test
  void whatWasThereAtTheStartSurvives() throws IOException {
    Files.writeString(root.resolve("f"), "old");
    disk = new PowerLossDisk(root);
    write("f", "new");
    assertThat(images()).containsOnly("f=old", "f=new");
  }

  @Test
  void unsyncedWriteIsLostKeptOrTornAtPages() throws IOException {
    writeSynced("f", "aa".repeat(PowerLossDisk.PAGE_BYTES));
    write("f", "bb".repeat(PowerLossDisk.PAGE_BYTES));
    String a = "a".repeat(PowerLossDisk.PAGE_BYTES);
    String b = "b".repeat(PowerLossDisk.PAGE_BYTES);
    assertThat(images()).containsOnly("f=" + a + a, "f=" + a + b, "f=" + b + a, "f=" + b + b);
  }

  @Test
  void unsyncedGrowthMayLeaveZerosOrAnySize() throws IOException {
    writeSynced("f", "x");
    write("f", "x" + "y".repeat(100));
    Set<Integer> sizes = new TreeSet<>();
    images().forEach(image -> sizes.add(image.length() - "f=".length()));
    assertThat(sizes).contains(1, 101).hasSizeGreaterThan(2).allMatch(size -> size <= 101);
  }

  @Test
  void unsyncedCreationMayBeUndoneEvenIfTheContentWasSynced() throws IOException {
    write("f", "new");
    try (DiskFile file = disk.open(root.resolve("f"), Mode.WRITE)) {
      file.force();
    }
    assertThat(images()).containsOnly("", "f=new");
  }

  /** SQLite makes and deletes the log of an image while the saver syncs the directory of both. */
  @Test
  void fileThatOtherCodeDeletesDuringASyncIsNotThere() throws Exception {
    Path log = root.resolve("log");
    AtomicBoolean isSynced = new AtomicBoolean();
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<?> deletions =
          other.submit(
              () -> {
                while (!isSynced.get()) {
                  Files.createFile(log);
                  Files.delete(log);
                }
                return null;
              });
      try {
        for (int i = 0; i < 3_000; i++) {
          disk.forceDirectory(root);
        }
      } finally {
        isSynced.set(true);
      }
      deletions.get();
    }
    disk.forceDirectory(root);
    assertThat(images()).containsOnly("");
  }

  @Test
  void furtherNameIsDurableAfterASyncOfItsDirectory() throws IOException {
    writeSynced("f", "new");
    disk.link(root.resolve("f"), root.resolve("g"));
    assertThat(images()).containsOnly("f=new", "f=new,g=new");
    disk.forceDirectory(root);
    disk.delete(root.resolve("f"));
    assertThat(images()).containsOnly("g=new", "f=new,g=new");
    disk.forceDirectory(root);
    assertThat(images()).containsOnly("g=new");
    assertThatThrownBy(() -> disk.link(root.resolve("g"), root.resolve("g")))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void directoryThatItsParentDoesNotDurablyNameMayVanishWithAllThatIsInIt() throws IOException {
    disk.createDirectories(root.resolve("a/b"));
    writeSynced("a/b/f", "new");
    disk.forceDirectory(root.resolve("a"));
    assertThat(images()).containsOnly("", "a/b/f=new");
  }

  @Test
  void directoryThatWasEnsuredNeverVanishes() throws IOException {
    disk.ensureDirectory(root.resolve("a/b"));
    writeSynced("a/b/f", "new");
    assertThat(images()).containsOnly("a/b/f=new");
  }

  @Test
  void directoryThatAnotherProcessHasMadeIsDurableOnceItWasEnsured() throws IOException {
    disk.createDirectories(root.resolve("a"));
    disk.ensureDirectory(root.resolve("a"));
    writeSynced("a/f", "new");
    assertThat(images()).containsOnly("a/f=new");
  }

  @Test
  void unsyncedDeletionMayBeUndone() throws IOException {
    writeSynced("f", "old");
    disk.delete(root.resolve("f"));
    assertThat(images()).containsOnly("", "f=old");
    disk.forceDirectory(root);
    assertThat(images()).containsOnly("");
  }

  @Test
  void unsyncedRenameIsDoneOrNotDone() throws IOException {
    writeSynced("f", "x");
    disk.move(root.resolve("f"), root.resolve("g"));
    assertThat(images()).containsOnly("f=x", "g=x");
    disk.forceDirectory(root);
    assertThat(images()).containsOnly("g=x");
  }

  @Test
  void replacedNameNeverGoesMissing() throws IOException {
    writeSynced("f", "old");
    writeSynced("g", "new");
    disk.move(root.resolve("g"), root.resolve("f"));
    assertThat(images()).containsOnly("f=old,g=new", "f=new");
  }

  @Test
  void fileThatGaveItsNameAwayKeepsOneOfItsNames() throws IOException {
    writeSynced("f", "1");
    disk.move(root.resolve("f"), root.resolve("g"));
    writeSynced("h", "2", false);
    disk.move(root.resolve("h"), root.resolve("f"));
    assertThat(images()).allMatch(image -> image.contains("=1"));
  }

  @Test
  void nativelyWrittenFileIsRememberedWhenItIsSynced() throws IOException {
    Path file = Files.writeString(root.resolve("f"), "old");
    try (DiskFile open = disk.open(file, Mode.WRITE)) {
      open.force();
    }
    disk.forceDirectory(root);
    Files.writeString(file, "new");
    assertThat(images()).containsOnly("f=old", "f=new");
  }

  @Test
  void whatAFailedSyncGaveUpIsReadableButSyncedOnlyIfWrittenAgain() throws IOException {
    writeSynced("f", "old");
    write("f", "new");
    disk.failNextForce(file -> file.endsWith("f"));
    try (DiskFile file = disk.open(root.resolve("f"), Mode.WRITE)) {
      assertThatThrownBy(file::force).isInstanceOf(IOException.class);
      file.force();
      assertThat(root.resolve("f")).hasContent("new");
      assertThat(images()).contains("f=old");
      write("f", "new");
      file.force();
    }
    assertThat(images()).containsOnly("f=new");
  }

  @Test
  void fileMadeAfterADeletedOneIsNotTakenForIt() throws IOException {
    writeSynced("f", "old");
    disk.delete(root.resolve("f"));
    write("f", "new");
    disk.forceDirectory(root);
    assertThat(images()).contains("f=new").noneMatch(image -> image.contains("o"));
  }

  @Test
  void noOperationIsCarriedOutOnceThePowerIsOff() throws IOException {
    writeSynced("f", "old");
    long steps = disk.steps();
    disk.cutPowerAfter(steps + 1);
    try (DiskFile file = disk.open(root.resolve("f"), Mode.WRITE)) {
      file.write(new byte[] {'n'}, 0, 1, 0);
      assertThatThrownBy(file::force).isInstanceOf(PowerLostException.class);
      assertThatThrownBy(() -> file.read(new byte[1], 0, 1, 0))
          .isInstanceOf(PowerLostException.class);
    }
    assertThat(disk.steps()).isEqualTo(steps + 1);
    assertThat(disk.lastStep()).isEqualTo("write f");
    assertThatThrownBy(() -> disk.delete(root.resolve("f"))).isInstanceOf(PowerLostException.class);
    assertThat(root.resolve("f")).exists();
  }

  private void write(String name, String content) throws IOException {
    try (DiskFile file = disk.open(root.resolve(name), Mode.CREATE)) {
      file.write(content.getBytes(StandardCharsets.UTF_8), 0, content.length(), 0);
    }
  }

  private void writeSynced(String name, String content) throws IOException {
    writeSynced(name, content, true);
  }

  private void writeSynced(String name, String content, boolean directoryToo) throws IOException {
    write(name, content);
    try (DiskFile file = disk.open(root.resolve(name), Mode.WRITE)) {
      file.force();
    }
    if (directoryToo) {
      disk.forceDirectory(root.resolve(name).getParent());
    }
  }

  /** {@return the images of all seeds, as "name=content,..."} */
  private Set<String> images() throws IOException {
    Set<String> images = new TreeSet<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      Path image = work.resolve("image-" + seed);
      disk.writeCrashImage(image, seed);
      images.add(describe(image));
      deleteAll(image);
    }
    return images;
  }

  private static String describe(Path image) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.walk(image)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        text.append(text.isEmpty() ? "" : ",");
        text.append(image.relativize(file)).append('=').append(Files.readString(file));
      }
    }
    return text.toString();
  }

  private static void deleteAll(Path image) throws IOException {
    try (Stream<Path> files = Files.walk(image)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
