package dev.holdfast.backend.sqlite.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.RedonePages;
import dev.holdfast.backend.sqlite.wal.BatchReader;
import dev.holdfast.backend.sqlite.wal.BatchWriter;
import dev.holdfast.faults.FaultyDisk;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages that are kept against torn writes are bounded, whatever recovery has to redo. */
final class RebuiltFilesTest {

  private static final int PAGE_BYTES = 4096;
  private static final int PAGES = 8;
  private static final int OBJECTS = 10;
  private static final RebuiltFiles.Bounds BOUNDS =
      new RebuiltFiles.Bounds(40 * PAGE_BYTES, 30 * PAGE_BYTES, new AtomicInteger());

  @TempDir private Path root;

  private final FileDisk disk = new FileDisk();
  private final Random random = new Random(1);
  private final Map<ObjectKey, byte[]> expected = new HashMap<>();
  private final Map<ObjectKey, RedonePages> redone = new HashMap<>();

  private static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    id[0] = (byte) number;
    return new ObjectKey("notes", ObjectId.of(id, null));
  }

  @Test
  void redoPagesBeginAgainAndEachIsRepeatedAfterACrash() throws IOException {
    ObjectFiles files = zeros();
    Path kept = root.resolve(RedoPages.NAME);
    long longest = 0;
    Set<String> begun = new HashSet<>();
    try (RebuiltFiles rebuilt = new RebuiltFiles(disk, files, BOUNDS)) {
      for (int position = 1; position <= 2000; position++) {
        change(rebuilt, object(random.nextInt(OBJECTS)), position);
        long length = Files.exists(kept) ? Files.size(kept) : 0;
        longest = Math.max(longest, length);
        if (length > 0) {
          begun.add(
              String.valueOf(Files.readAttributes(kept, BasicFileAttributes.class).fileKey()));
        }
      }
      rebuilt.writeAll();
    }
    // Blocks begin at whole pages, and an entry has a head.
    assertThat(longest).isLessThan(2 * (BOUNDS.heldBytes() + BOUNDS.redoBytes()));
    assertThat(begun).hasSizeGreaterThan(1);
    assertThatAllAreThere(files);

    // What it has last was in the files last: a crash may have torn these pages.
    try (RebuiltFiles after = new RebuiltFiles(disk, files, BOUNDS)) {
      after.replay((_, _) -> true);
    }
    assertThat(kept).doesNotExist();
  }

  /** Callers wait for a recovery. */
  @Test
  void pagesOfOneBlockAreDurableWithTwoSyncs() throws IOException {
    ObjectFiles files = zeros();
    FaultyDisk counting = new FaultyDisk(disk);
    try (RebuiltFiles rebuilt = new RebuiltFiles(counting, files, BOUNDS)) {
      change(rebuilt, object(1), 1, 0);
      change(rebuilt, object(2), 2, 0);
      rebuilt.writeAll();
    }
    assertThatAllAreThere(files);
    assertThat(
            counting.count(FaultyDisk.Operation.FORCE)
                + counting.count(FaultyDisk.Operation.FORCE_DIRECTORY))
        .isEqualTo(2);
  }

  /** Its pages may be of objects that are purged later. */
  @Test
  void fileThatWasNotRenamedIsDeleted() throws IOException {
    Path unfinished = Files.createFile(root.resolve(RedoPages.NAME + ".new"));
    try (RebuiltFiles rebuilt = new RebuiltFiles(disk, zeros(), BOUNDS)) {
      rebuilt.replay((_, _) -> true);
    }
    assertThat(unfinished).doesNotExist();
  }

  /** To write early takes syncs, and then the pages are read and written again. */
  @Test
  void pagesThatWereOnlyReadLetNothingBeWrittenEarly() throws IOException {
    ObjectFiles files = zeros();
    try (RebuiltFiles rebuilt = new RebuiltFiles(disk, files, BOUNDS)) {
      for (int position = 1; position <= 20 * OBJECTS; position++) {
        ObjectKey key = object(position % OBJECTS);
        change(rebuilt, key, position, position % 3); // 30 pages; the files have 80
        assertThat(files.database(key)).hasBinaryContent(new byte[PAGES * PAGE_BYTES]);
      }
      assertThat(root.resolve(RedoPages.NAME)).doesNotExist();
      rebuilt.writeAll();
    }
    assertThatAllAreThere(files);
  }

  /** All shards of a node may recover at once. */
  @Test
  void recoveriesAtOnceShareWhatMayBeHeld() throws IOException {
    ObjectFiles files = zeros();
    ObjectFiles others = new ObjectFiles(disk, root.resolve("others"));
    Path other = others.database(object(1));
    Files.createDirectories(other.getParent());
    Files.write(other, new byte[PAGES * PAGE_BYTES]);
    byte[] unchanged = new byte[PAGES * PAGE_BYTES];
    try (RebuiltFiles rebuilt = new RebuiltFiles(disk, files, BOUNDS)) {
      int position = 1;
      for (; position <= 3 * OBJECTS; position++) {
        change(rebuilt, object(position % OBJECTS), position, position / OBJECTS); // 30 pages
      }
      for (int number = 0; number < OBJECTS; number++) {
        assertThat(files.database(object(number))).hasBinaryContent(unchanged);
      }
      try (RebuiltFiles second = new RebuiltFiles(disk, others, BOUNDS)) {
        byte[] known = expected.put(object(1), unchanged);
        change(second, object(1), 1, 0);
        expected.put(object(1), known);
        change(rebuilt, object(1), position, 1);
        assertThat(written(files, unchanged)).isGreaterThan(OBJECTS / 3);
        second.writeAll();
      }
      rebuilt.writeAll();
    }
    assertThatAllAreThere(files);
    assertThat(BOUNDS.sharing()).hasValue(0);
  }

  private static int written(ObjectFiles files, byte[] unchanged) throws IOException {
    int count = 0;
    for (int number = 0; number < OBJECTS; number++) {
      boolean isWritten =
          !Arrays.equals(Files.readAllBytes(files.database(object(number))), unchanged);
      count += isWritten ? 1 : 0;
    }
    return count;
  }

  private ObjectFiles zeros() throws IOException {
    ObjectFiles files = new ObjectFiles(disk, root);
    for (int i = 0; i < OBJECTS; i++) {
      Path file = files.database(object(i));
      Files.createDirectories(file.getParent());
      Files.write(file, new byte[PAGES * PAGE_BYTES]);
      expected.put(object(i), new byte[PAGES * PAGE_BYTES]);
    }
    return files;
  }

  private void change(RebuiltFiles rebuilt, ObjectKey key, long position) throws IOException {
    change(rebuilt, key, position, random.nextInt(PAGES));
  }

  private void change(RebuiltFiles rebuilt, ObjectKey key, long position, int page)
      throws IOException {
    byte[] before = expected.get(key);
    byte[] after = before.clone();
    BatchWriter writer = new BatchWriter();
    writer.begin(PAGE_BYTES, PAGES, PAGES);
    after[page * PAGE_BYTES + random.nextInt(PAGE_BYTES)] ^= 1;
    writer.changed(
        page + 1,
        new BatchWriter.Image(before, page * PAGE_BYTES),
        new BatchWriter.Image(after, page * PAGE_BYTES));
    ByteBuffer payload = writer.finish();
    rebuilt.apply(
        key,
        position,
        new BatchReader(payload),
        redone.computeIfAbsent(key, _ -> new RedonePages()));
    expected.put(key, after);
  }

  private void assertThatAllAreThere(ObjectFiles files) throws IOException {
    for (Map.Entry<ObjectKey, byte[]> each : expected.entrySet()) {
      assertThat(Files.readAllBytes(files.database(each.getKey()))).isEqualTo(each.getValue());
    }
  }
}
