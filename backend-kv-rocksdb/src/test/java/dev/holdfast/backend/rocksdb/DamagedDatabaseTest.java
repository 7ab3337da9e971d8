package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** A directory that is no database, or a damaged one, is refused and says why; nothing changes. */
final class DamagedDatabaseTest {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));
  private static final byte[] NAME = {1};

  @TempDir private Path parent;

  private final InMemoryJournal journal = new InMemoryJournal();
  private final StorageThreads threads = new StorageThreads(1);

  @AfterEach
  void close() {
    threads.close();
  }

  private Path directory() {
    return parent.resolve("rocksdb");
  }

  private RocksDbBackend open() {
    return RocksDbBackend.open(
        directory(),
        new RocksDbBackend.Host(journal, threads, new VirtualClock()),
        RocksDbOptions.DEFAULT);
  }

  private RocksDbBackend openRecovered() {
    RocksDbBackend backend = open();
    backend.recover(journal);
    return backend;
  }

  /** Makes a database with one object, everything in files. */
  private void fill() {
    try (RocksDbBackend backend = openRecovered()) {
      StoreTurn turn = backend.store(KEY).beginTurn();
      byte[] value = new byte[50_000];
      new SplittableRandom(1).nextBytes(value); // not to be compressed
      turn.put(NAME, value);
      turn.seal();
    }
  }

  private Path file(String start, String end) throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(start))
          .filter(file -> file.getFileName().toString().endsWith(end))
          .max(Path::compareTo)
          .orElseThrow();
    }
  }

  private static void invert(Path file, int from, int to) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    for (int i = from; i < Math.min(to, bytes.length); i++) {
      bytes[i] = (byte) ~bytes[i];
    }
    Files.write(file, bytes);
  }

  private Map<String, Integer> content() throws IOException {
    Map<String, Integer> content = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory())) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith("LOG") && !name.equals("LOCK")) {
          content.put(name, Arrays.hashCode(Files.readAllBytes(file)));
        }
      }
    }
    return content;
  }

  private AbstractThrowableAssert<?, ?> assertRefused() {
    return assertThatThrownBy(this::open)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining(directory().toString());
  }

  @Test
  void fileInPlaceOfTheDirectoryIsRefused() throws IOException {
    Files.writeString(directory(), "a file");

    assertRefused().hasMessageContaining("cannot be used");
    assertThat(directory()).hasContent("a file");
  }

  @Test
  void databaseThatIsOpenIsRefused() {
    RocksDbBackend first = openRecovered();

    assertRefused().hasMessageContaining("another process or runtime has it open");

    first.close();
    openRecovered().close();
  }

  @Test
  void missingFileCurrentIsDamageAndNoEmptyDatabase() throws IOException {
    fill();
    Files.delete(directory().resolve("CURRENT"));
    Map<String, Integer> before = content();

    assertRefused().hasMessageContaining("CURRENT is missing");
    assertThat(content()).isEqualTo(before);
  }

  @Test
  void damagedManifestIsRefused() throws IOException {
    fill();
    invert(file("MANIFEST", ""), 10, 60);
    Map<String, Integer> before = content();

    assertRefused().hasMessageContaining("is damaged");
    assertThat(content()).isEqualTo(before);
  }

  @Test
  void missingManifestIsNamed() throws IOException {
    fill();
    Path manifest = file("MANIFEST", "");
    Files.delete(manifest);
    Map<String, Integer> before = content();

    assertRefused()
        .hasMessageContaining(manifest.getFileName() + " that CURRENT names is missing")
        .hasMessageNotContaining("another process");
    assertThat(content()).isEqualTo(before);
  }

  @Test
  void fileCurrentThatNamesNoManifestIsDamage() throws IOException {
    fill();
    Files.writeString(directory().resolve("CURRENT"), "MANIFEST");
    Map<String, Integer> before = content();

    assertRefused().hasMessageContaining("does not name a MANIFEST");
    assertThat(content()).isEqualTo(before);
  }

  @Test
  void missingTableIsRefused() throws IOException {
    fill();
    Files.delete(file("", ".sst"));

    assertRefused().hasMessageContaining("is damaged");
  }

  /**
   * Files are not read completely when a database is opened: the object that needs the block gets
   * the error.
   */
  @Test
  void damagedTableFailsTheObjectThatReadsIt() throws IOException {
    fill();
    invert(largestTable(), 0, 400);
    try (RocksDbBackend backend = openRecovered()) {
      StoreTurn turn = backend.store(KEY).beginTurn();

      assertThatThrownBy(() -> turn.get(NAME))
          .isInstanceOf(StorageFailedException.class)
          .hasMessageContaining("cannot be read")
          .hasMessageContaining(directory().toString());
      turn.discard();
    }
  }

  /** The one with the pairs; the others have a few bytes of bookkeeping. */
  private Path largestTable() throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      return files
          .filter(file -> file.toString().endsWith(".sst"))
          .max(Comparator.comparingLong(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  @Test
  void databaseOfAnotherProgramIsRefused() throws RocksDBException, IOException {
    Files.createDirectories(directory());
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB other = RocksDB.open(options, directory().toString())) {
      other.put(new byte[] {1}, new byte[] {2});
    }

    assertRefused().hasMessageContaining("another program");
  }

  @Test
  void unknownColumnFamilyIsRefused() throws RocksDBException, IOException {
    Files.createDirectories(directory());
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB other = RocksDB.open(options, directory().toString());
        ColumnFamilyHandle family =
            other.createColumnFamily(new ColumnFamilyDescriptor(new byte[] {'x'}))) {
      assertThat(family.getID()).isPositive();
    }

    assertRefused().hasMessageContaining("column families").hasMessageContaining("[x]");
  }

  @Test
  void databaseAheadOfItsJournalIsRefused() {
    fill();
    InMemoryJournal other = new InMemoryJournal();
    try (RocksDbBackend backend =
        RocksDbBackend.open(
            directory(),
            new RocksDbBackend.Host(other, threads, new VirtualClock()),
            RocksDbOptions.DEFAULT)) {

      assertThatThrownBy(() -> backend.recover(other))
          .isInstanceOf(DataDirectoryException.class)
          .hasMessageContaining("One of them was replaced");
    }
  }

  @Test
  void namesOfDirectoriesMayBeUnusual() {
    for (String name : List.of("with space", "ümlaut", "100%")) {
      Path unusual = parent.resolve(name);
      RocksDbBackend backend =
          RocksDbBackend.open(
              unusual,
              new RocksDbBackend.Host(journal, threads, new VirtualClock()),
              RocksDbOptions.DEFAULT);
      backend.close();
      assertThat(unusual.resolve("CURRENT")).exists();
    }
  }
}
