package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backend.rocksdb.file.Manifest;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.StorageThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A power cut tears what RocksDB had appended to its MANIFEST and not synced, sector by sector. The
 * database is opened as of the state before, which the flushed mark guards.
 */
final class TornManifestTest {

  private static final int SECTOR_BYTES = 512;

  /** So few that RocksDB compacts nothing meanwhile. */
  private static final int FLUSHES = "long".equals(System.getProperty("holdfast.tests")) ? 2 : 1;

  @TempDir private Path parent;

  private final StorageThreads threads = new StorageThreads(1);
  private BoundDatabase database;

  @BeforeEach
  void make() {
    database = new BoundDatabase(parent, threads);
  }

  @AfterEach
  void close() {
    threads.close();
  }

  /** The files before and after a flush, and the mark before it. */
  private record Flush(Map<String, byte[]> before, Map<String, byte[]> after, byte[] mark) {

    String manifest() {
      return after.keySet().stream()
          .filter(name -> name.startsWith("MANIFEST"))
          .max(String::compareTo)
          .orElseThrow();
    }

    /** The directory with another MANIFEST; tables are synced before it names them. */
    Map<String, byte[]> with(byte[] manifest) {
      Map<String, byte[]> files = new TreeMap<>(after);
      before.forEach(files::putIfAbsent); // deleted after the sync of the MANIFEST only
      files.put(manifest(), manifest);
      return files;
    }
  }

  private Flush flush(RocksDbBackend backend, String value) {
    try {
      BoundDatabase.put(backend, value);
      Map<String, byte[]> before = Directory.read(database.directory());
      byte[] mark = Files.readAllBytes(database.mark());
      backend.checkpointBefore(Long.MAX_VALUE);
      backend.applier().settle();
      return new Flush(before, Directory.read(database.directory()), mark);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What a disk can have of an append: any of its sectors, with zeros for the others. */
  private static List<byte[]> torn(byte[] before, byte[] after) {
    List<byte[]> states = new ArrayList<>();
    int from = before.length;
    int first = from / SECTOR_BYTES;
    int last = (after.length - 1) / SECTOR_BYTES;
    int sectors = Math.min(last - first + 1, 4);
    for (int kept = 0; kept < 1 << sectors; kept++) {
      byte[] state = after.clone();
      for (int sector = 0; sector < sectors; sector++) {
        if ((kept & 1 << sector) == 0) {
          int begin = Math.max(from, (first + sector) * SECTOR_BYTES);
          Arrays.fill(
              state, begin, Math.min(after.length, (first + sector + 1) * SECTOR_BYTES), (byte) 0);
        }
      }
      states.add(state);
    }
    for (int length = from; length < after.length; length += 199) {
      states.add(Arrays.copyOf(after, length)); // the size was not written
    }
    return states;
  }

  /** So long that what a flush appends spans several sectors: it names the first and last key. */
  private static String value(int number) {
    return "value " + number + "x".repeat(400);
  }

  private boolean isRefusedByRocksDb() {
    try {
      database.openUnbound().close();
      return false;
    } catch (DataDirectoryException e) {
      return true;
    }
  }

  @Test
  void everyTornAppendIsOpenedAsOfTheStateBefore() throws IOException {
    List<Flush> flushes = new ArrayList<>();
    database.put("marked");
    database.with(
        backend -> {
          for (int i = 0; i < FLUSHES; i++) {
            flushes.add(flush(backend, value(i)));
          }
        });
    int refused = 0;
    for (Flush flush : flushes) {
      byte[] before = flush.before().get(flush.manifest());
      byte[] after = flush.after().get(flush.manifest());
      assertThat(after).startsWith(before);
      assertThat(after.length / SECTOR_BYTES).isGreaterThanOrEqualTo(before.length / SECTOR_BYTES);
      for (byte[] manifest : torn(before, after)) {
        Directory.write(database.directory(), flush.with(manifest));
        Files.write(database.mark(), flush.mark());
        refused += isRefusedByRocksDb() ? 1 : 0;
        Directory.write(database.directory(), flush.with(manifest));
        database.with(
            backend -> {
              for (int i = 0; i < FLUSHES; i++) {
                assertThat(BoundDatabase.get(backend, value(i))).isNotNull();
              }
            });
      }
    }
    assertThat(refused).as("states that RocksDB itself refuses").isGreaterThan(2);
  }

  @Test
  void tornAppendIsRefusedIfTheJournalHasDroppedWhatItSaid() throws IOException {
    List<Flush> flushes = new ArrayList<>();
    database.put("marked");
    database.with(
        backend -> {
          flushes.add(flush(backend, "first"));
          flushes.add(flush(backend, "second"));
          database.dropRecords(backend);
        });
    Flush flush = flushes.getLast();
    byte[] torn = flush.after().get(flush.manifest()).clone();
    torn[torn.length - 1] ^= 1;
    Directory.write(database.directory(), flush.with(torn));
    Map<String, byte[]> before = Directory.read(database.directory());

    assertThatThrownBy(() -> database.put("third"))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("damaged")
        .hasMessageContaining(database.directory().toString());
    assertThat(Directory.read(database.directory())).usingRecursiveComparison().isEqualTo(before);
    assertThat(parent.toFile().list()).hasSameElementsAs(Set.of("rocksdb", "rocksdb.flushed"));
  }

  @Test
  void wholeManifestIsValidToItsEnd() {
    database.put("first");
    database.put("second");
    byte[] manifest =
        Directory.read(database.directory()).entrySet().stream()
            .filter(file -> file.getKey().startsWith("MANIFEST"))
            .findAny()
            .orElseThrow()
            .getValue();

    assertThat(Manifest.validBytes(manifest)).isEqualTo(manifest.length);
    for (int length = 0; length < manifest.length; length++) {
      assertThat(Manifest.validBytes(Arrays.copyOf(manifest, length))).isLessThanOrEqualTo(length);
    }
  }
}
