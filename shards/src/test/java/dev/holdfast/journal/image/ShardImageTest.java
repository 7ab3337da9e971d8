package dev.holdfast.journal.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.faults.PowerLossDisk;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.backup.ViewImage;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of an owner come to another node, or nothing changes there. */
final class ShardImageTest {

  private static final Disk DISK = new FileDisk();

  /** What a power cut may leave, of which each step has some. */
  private static final int IMAGES = 4;

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** What the owner has, by names in its directory. */
  private final Map<String, String> owned = new TreeMap<>();

  private static void write(Path root, Map<String, String> files) {
    try {
      for (Map.Entry<String, String> each : files.entrySet()) {
        Path file = root.resolve(each.getKey());
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, each.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, String> read(Path root) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.filter(Files::isRegularFile).toList()) {
        files.put(root.relativize(each).toString(), Files.readString(each));
      }
    }
    return files;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private OutgoingImage owner() {
    owned.put("rocksdb/CURRENT", "manifest 7");
    owned.put("rocksdb/000007.sst", "table");
    owned.put("sqlite/catalog.sqlite", "new catalog");
    owned.put("sqlite/desk/abc/5.sqlite", "five");
    owned.put("sqlite/shop/abc/1.sqlite", "one ".repeat(400_000));
    owned.put("sqlite/shop/abc/2.sqlite", "");
    owned.put("sqlite/shop/def/3.sqlite", "three");
    Path source = directory.resolve("owner");
    write(source, owned);
    OutgoingImage images = new OutgoingImage(DISK, source, clock, 7);
    images.offer(
        (target, pinned, failed) -> {
          try {
            for (String name : owned.keySet()) {
              target.put(Source.whole(name, source.resolve(name), () -> null));
            }
            pinned.accept(new ViewImage(3, 9, 0));
          } catch (IOException e) {
            failed.accept(e);
          }
        },
        () -> 2,
        image -> Map.of("saved", bytes("owner's"), "bases", bytes("bases " + image.position())));
    return images;
  }

  private static final Map<String, String> BEFORE =
      Map.of(
          "saved", "old",
          "bases", "old bases",
          "journal/first", "1",
          "log/entry", "kept",
          "rocksdb/CURRENT", "manifest 1",
          "rocksdb/000001.sst", "old table",
          "rocksdb.flushed", "old mark",
          "sqlite/shop/abc/1.sqlite", "old",
          "sqlite/redo.pages", "pages");

  private Map<String, String> after() {
    Map<String, String> files = new TreeMap<>(owned);
    files.put("saved", "new");
    files.put("bases", "bases 9");
    files.put("journal/first", "5");
    files.put("log/entry", "kept");
    return files;
  }

  private static IncomingImage.SegmentPlacement segments(Disk disk, Path replica) {
    return first -> disk.replace(replica.resolve("journal/first"), bytes(Long.toString(first)));
  }

  private static void fetchAndPlace(Disk disk, Path replica, ImageSource source)
      throws IOException {
    IncomingImage image = IncomingImage.fetch(disk, replica, source, source.image());
    assertThat(Files.readString(image.directory().resolve("saved"))).isEqualTo("owner's");
    image.begin(5, bytes("new"));
    assertThat(IncomingImage.finish(disk, replica, segments(disk, replica))).isTrue();
  }

  @Test
  void filesOfTheOwnerReplaceOthers() throws IOException {
    OutgoingImage owner = owner();
    Path replica = directory.resolve("replica");
    write(replica, BEFORE);
    fetchAndPlace(DISK, replica, owner);
    assertThat(read(replica)).isEqualTo(after());
    assertThat(IncomingImage.finish(DISK, replica, segments(DISK, replica))).isFalse();
    Path empty = Files.createDirectories(directory.resolve("empty/journal")).resolveSibling(".");
    fetchAndPlace(DISK, empty.normalize(), owner);
    Map<String, String> expected = after();
    expected.remove("log/entry");
    assertThat(read(empty)).isEqualTo(expected);
  }

  @Test
  void killAtAnyStepLeavesTheFilesOfBeforeOrTheNewOnes() throws IOException {
    OutgoingImage owner = owner();
    owner.image(); // one user more, so that it stays
    int before = 0;
    int after = 0;
    for (long step = 0; ; step++) {
      Path replica = Files.createDirectories(directory.resolve("killed-" + step));
      write(replica, BEFORE);
      PowerLossDisk disk = new PowerLossDisk(replica);
      disk.cutPowerAfter(step);
      boolean isDone = false;
      try {
        fetchAndPlace(disk, replica, owner);
        isDone = true;
      } catch (IOException e) {
        assertThat(e).isInstanceOf(PowerLossDisk.PowerLostException.class);
      }
      for (int image = 0; image < IMAGES; image++) {
        Path left = directory.resolve("left-" + step + "-" + image);
        disk.writeCrashImage(left, IMAGES * step + image);
        IncomingImage.finish(DISK, left, segments(DISK, left));
        IncomingImage.discard(DISK, left);
        Map<String, String> found = read(left);
        boolean isOld = "old".equals(found.get("saved"));
        before += isOld ? 1 : 0;
        after += isOld ? 0 : 1;
        assertThat(found)
            .as("step %d, %s", step, disk.lastStep())
            .isEqualTo(isOld ? BEFORE : after());
        assertThat(isOld && isDone).isFalse();
        FileTree.delete(DISK, left);
      }
      FileTree.delete(DISK, replica);
      if (isDone) {
        break;
      }
    }
    assertThat(before).isGreaterThan(20);
    assertThat(after).isGreaterThan(20);
  }

  @Test
  void whatWasFetchedIsNotFetchedAgain() throws IOException {
    OutgoingImage owner = owner();
    Path replica = directory.resolve("replica");
    write(replica, BEFORE);
    List<Integer> asked = new ArrayList<>();
    ReplicaImage image = owner.image();
    ImageSource failing =
        reads(
            owner,
            (file, piece) -> {
              if (piece.length > 0) { // else it only says that the image is still needed
                asked.add(file);
              }
              if (asked.size() == 3) {
                throw new IllegalStateException("the connection of the test is lost");
              }
              return piece;
            });
    assertThatThrownBy(() -> IncomingImage.fetch(DISK, replica, failing, image))
        .hasMessageContaining("connection");
    assertThat(asked).hasSize(3);
    IncomingImage.fetch(DISK, replica, failing, image);
    assertThat(asked.subList(3, asked.size())).doesNotContain(0).hasSizeLessThan(4);
    assertThat(read(replica)).containsAllEntriesOf(BEFORE);
  }

  /** What another node's answers become on the way. */
  private interface Change {
    byte[] of(int file, byte[] piece);
  }

  private static ImageSource reads(ImageSource source, Change change) {
    return new ImageSource() {
      @Override
      public ReplicaImage image() {
        return source.image();
      }

      @Override
      public byte[] readImage(long image, int file, long offset) {
        return change.of(file, source.readImage(image, file, offset));
      }
    };
  }

  @Test
  void damagedPiecesAreRefused() {
    OutgoingImage owner = owner();
    List<Change> changes =
        List.of(
            (_, _) -> new byte[0],
            (file, piece) -> file == 0 ? piece : new byte[0],
            (file, piece) -> file == 0 ? Arrays.copyOf(piece, piece.length + 1) : piece,
            (file, piece) -> file == 0 ? piece : Arrays.copyOf(piece, piece.length + 1),
            (_, piece) -> flipped(piece),
            (file, piece) -> file == 0 ? piece : flipped(piece));
    for (int i = 0; i < changes.size(); i++) {
      Path replica = directory.resolve("replica-" + i);
      write(replica, BEFORE);
      ImageSource changed = reads(owner, changes.get(i));
      assertThatThrownBy(() -> IncomingImage.fetch(DISK, replica, changed, changed.image()))
          .as("change %d", i)
          .isInstanceOf(DataDirectoryException.class);
      assertThat(replica.resolve("fetched/placing")).doesNotExist();
    }
  }

  private static byte[] flipped(byte[] piece) {
    byte[] other = piece.clone();
    other[other.length / 2] ^= 1;
    return other;
  }

  @Test
  void listsThatNameOtherFilesAreRefused() throws IOException {
    Path replica = Files.createDirectories(directory.resolve("a/b/replica"));
    for (String list :
        List.of(
            "1 00000000 ../saved\n",
            "1 00000000 sqlite/../../saved\n",
            "1 00000000 /tmp/x\n",
            "1 00000000 journal/0000000000000001.log\n",
            "1 00000000 log/x\n",
            "1 00000000 sqlite\n",
            "1 00000000 sqlite/.hidden\n",
            "1 00000000 sqlite/a b\n",
            "1 00000000 sqlite/a\u0000\n",
            "1 00000000 sqlite/a/b/c/d/e\n",
            "1 00000000 sqlite/\u00e9\n",
            "-1 00000000 bases\n",
            "1 0000000 bases\n",
            "9999999999999999999 00000000 bases\n",
            "1 00000000 bases\n1 00000000 bases\n",
            "1 00000000 sqlite/b\n1 00000000 sqlite/a\n",
            "bases\n",
            "\n")) {
      assertRefused(replica, list.getBytes(StandardCharsets.UTF_8));
    }
    assertRefused(replica, bytes("999999999999999999 00000000 bases\n")); // no room
    ReplicaImage huge = new ReplicaImage(1, Long.MAX_VALUE, 0);
    assertThatThrownBy(() -> IncomingImage.fetch(DISK, replica, lists(new byte[0]), huge))
        .isInstanceOf(DataDirectoryException.class);
    try (Stream<Path> all = Files.walk(directory)) {
      assertThat(all.filter(Files::isRegularFile))
          .allMatch(each -> each.startsWith(replica.resolve("fetched")));
    }
  }

  private static void assertRefused(Path replica, byte[] list) {
    ImageSource source = lists(list);
    assertThatThrownBy(() -> IncomingImage.fetch(DISK, replica, source, source.image()))
        .as(new String(list, StandardCharsets.UTF_8))
        .isInstanceOfAny(DataDirectoryException.class, IOException.class);
  }

  private static ImageSource lists(byte[] list) {
    return new ImageSource() {
      @Override
      public ReplicaImage image() {
        return new ReplicaImage(1, list.length, ImageList.checksum(list));
      }

      @Override
      public byte[] readImage(long image, int file, long offset) {
        return file == LIST ? list : new byte[1];
      }
    };
  }

  @Test
  void ownerGivesNothingElseThanItsImage() {
    OutgoingImage owner = owner();
    ReplicaImage image = owner.image();
    for (int file : new int[] {-1, Integer.MIN_VALUE, 10, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> owner.readImage(image.id(), file, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (long offset : new long[] {-1, Long.MIN_VALUE, 3_000_000, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> owner.readImage(image.id(), 0, offset))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> owner.readImage(image.id(), 7, offset))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> owner.readImage(image.id() + 1, 0, 0))
        .isInstanceOf(JournalFailedException.class);
    owner.releaseImage(image.id() + 1);
    assertThat(owner.readImage(image.id(), 9, 5)).isEmpty();
  }

  @Test
  void imageIsHeldUntilNobodyNeedsIt() {
    OutgoingImage owner = owner();
    Path copies = directory.resolve("owner/outgoing");
    assertThat(owner.floor()).isEqualTo(Long.MAX_VALUE);
    ReplicaImage image = owner.image();
    assertThat(owner.image()).isEqualTo(image);
    assertThat(owner.floor()).isEqualTo(2);
    owner.releaseImage(image.id());
    assertThat(copies).exists();
    owner.releaseImage(image.id());
    assertThat(copies).doesNotExist();
    assertThat(owner.floor()).isEqualTo(Long.MAX_VALUE);

    ReplicaImage silent = owner.image();
    assertThat(silent.id()).isNotEqualTo(image.id());
    clock.advance(Duration.ofMinutes(9));
    owner.readImage(silent.id(), 0, 0);
    clock.advance(Duration.ofMinutes(9));
    assertThat(owner.floor()).isEqualTo(2);
    clock.advance(Duration.ofMinutes(1));
    assertThat(owner.floor()).isEqualTo(Long.MAX_VALUE);
    assertThat(copies).doesNotExist();

    ReplicaImage last = owner.image();
    owner.withdraw();
    assertThat(copies).doesNotExist();
    assertThat(owner.floor()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(() -> owner.readImage(last.id(), 0, 0))
        .isInstanceOf(JournalFailedException.class);
    assertThatThrownBy(owner::image)
        .isInstanceOf(JournalFailedException.class)
        .hasMessageContaining("does not own the shard");
  }

  @Test
  void imageThatIsBeingMadeIsAskedForAgain() {
    OutgoingImage images = new OutgoingImage(DISK, directory, clock, 7);
    List<Consumer<ViewImage>> making = new ArrayList<>();
    List<Consumer<Throwable>> failing = new ArrayList<>();
    images.offer(
        (_, pinned, failed) -> {
          making.add(pinned);
          failing.add(failed);
        },
        () -> 2,
        _ -> Map.of("bases", bytes("bases")));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(images::image).hasMessageContaining("asked for again");
    }
    assertThat(images.floor()).isEqualTo(2);
    assertThat(making).hasSize(1);
    failing.getFirst().accept(new IOException("the disk of the test is full"));
    assertThat(images.floor()).isEqualTo(Long.MAX_VALUE);
    assertThatThrownBy(images::image).hasMessageContaining("asked for again");
    making.getLast().accept(new ViewImage(2, 3, 0));
    assertThat(images.image().listBytes()).isPositive();

    images.withdraw();
    images.offer(
        (_, pinned, failed) -> {
          making.add(pinned);
          failing.add(failed);
        },
        () -> 2,
        _ -> Map.of("bases", bytes("bases")));
    assertThatThrownBy(images::image).hasMessageContaining("asked for again");
    images.withdraw(); // the ownership ends meanwhile
    assertThatThrownBy(() -> making.getLast().accept(new ViewImage(2, 3, 0)))
        .hasMessageContaining("closed before the copy");
    failing.getLast().accept(new IOException("closed"));
    assertThat(directory.resolve("outgoing")).doesNotExist();
    assertThat(images.floor()).isEqualTo(Long.MAX_VALUE);
  }
}
