package dev.holdfast.verify;

import static dev.holdfast.verify.SplitPages.PAGES;
import static dev.holdfast.verify.SplitPages.page;
import static dev.holdfast.verify.SplitPages.register;
import static dev.holdfast.verify.SplitPages.sayAll;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** What cannot be divided is refused, and nothing is written. */
class SplitRefusalTest {

  @TempDir private Path directory;

  private Division division() {
    return new Division(directory);
  }

  @Test
  void whatCannotBeDividedIsRefusedAndNotChanged() throws Exception {
    Path source = directory.resolve("source");
    try (ObjectRuntime runtime = Holdfast.open(source, SplitPages::register)) {
      page(runtime, "sql1").write("there", new byte[10]);
      assertThatThrownBy(() -> division().divide(new FileDisk(), source, 2))
          .isInstanceOf(DirectoryInUseException.class);
    }
    assertThatThrownBy(() -> division().divide(new FileDisk(), directory, 2))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("no journal");
    Path segment = source.resolve("journal/0000000000000001.log");
    byte[] whole = Files.readAllBytes(segment);
    byte[] damaged = whole.clone();
    damaged[4096 + 64 + 70] ^= 1;
    Files.write(segment, damaged);
    assertThatThrownBy(() -> division().divide(new FileDisk(), source, 2))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("damaged");
    Files.write(segment, whole);
    Path catalog = source.resolve("sqlite/catalog.sqlite");
    byte[] kept = Files.readAllBytes(catalog);
    Files.delete(catalog);
    assertThatThrownBy(() -> division().divide(new FileDisk(), source, 2))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("catalog");
    Files.write(catalog, kept);
    division().divide(new FileDisk(), source, 2);
  }

  @Test
  void shardsInAnotherOrderAreRefused() throws Exception {
    List<Path> sources = division().named("source", 2);
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      sayAll(parts, List.of("sql0", "sql1", "sql2", "sql3"), "there");
    }
    Division.Opening opening = Division.asShards(sources.reversed());
    assertThatThrownBy(() -> division().divide(new FileDisk(), opening, 3))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("another shard");
  }

  /** The record that said so may be dropped. */
  @Test
  void shardWhosePairsWereGivenUpIsRefusedBesideOthersBeforeAnythingIsWritten() throws Exception {
    List<Path> sources = division().named("source", 2);
    byte[] filling = new byte[900_000];
    String name;
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      name = parts.of("keys0") == parts.runtimes.getFirst() ? "keys0" : "keys1";
      page(parts.of(name), name).write("early", filling);
    }
    FileTree.delete(new FileDisk(), sources.getFirst().resolve("rocksdb"));
    Files.writeString(sources.getFirst().resolve("rocksdb.flushed"), "give up");
    fill(sources.getFirst(), name);
    Division.Opening opening = Division.asShards(sources);
    assertThatThrownBy(() -> division().divide(new FileDisk(), opening, 1))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("given up");
    assertThat(directory.resolve("of 1/shard0")).doesNotExist();
  }

  /** Writes until no record is kept of other objects. */
  private static void fill(Path source, String name) {
    byte[] filling = new byte[900_000];
    try (ObjectRuntime runtime =
        Holdfast.open(
            source,
            objects -> {
              register(objects);
              objects.options(RuntimeOptions.DEFAULT.withHistoryBytesMax(20 << 20));
            })) {
      for (int round = 0; round < 40; round++) {
        new Random(round).nextBytes(filling);
        page(runtime, name).write("r" + round, filling);
      }
    }
    assertThat(source.resolve("journal/0000000000000001.log")).doesNotExist();
  }

  /** Another source may have it, too, and no record says where it is. */
  @ParameterizedTest
  @ValueSource(strings = {"sql", "keys"})
  void objectOfAnotherShardInTheFilesOfOneIsRefusedBeforeAnythingIsWritten(String namespace)
      throws Exception {
    List<Path> sources = division().named("source", 2);
    String foreign = "";
    String own = "";
    try (SplitPages.Parts parts = SplitPages.Parts.open(sources)) {
      for (int number = 0; number < PAGES; number++) {
        boolean isOwn = parts.of("sql" + number) == parts.runtimes.getFirst();
        own = isOwn ? "sql" + number : own;
        boolean isForeign = parts.of(namespace + number) != parts.runtimes.getFirst();
        foreign = isForeign ? namespace + number : foreign;
      }
      page(parts.runtimes.getFirst(), foreign).remind(Duration.ofDays(9));
    }
    fill(sources.getFirst(), own);
    Division.Opening opening = Division.asShards(sources);
    assertThatThrownBy(() -> division().divide(new FileDisk(), opening, 3))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("another shard")
        .hasMessageContaining(namespace.equals("sql") ? "source0/sqlite" : "source0/rocksdb");
    assertThat(directory.resolve("of 3/shard0")).doesNotExist();
  }

  /** The objects of such a namespace would be in no shard. */
  @Test
  void pairsOfANamespaceWithoutANameAreRefusedBeforeAnythingIsWritten() throws Exception {
    Path source = directory.resolve("source");
    try (ObjectRuntime runtime = Holdfast.open(source, SplitPages::register)) {
      page(runtime, "keys0").write("there", new byte[10]);
    }
    deleteNameOf(source, "keys");
    assertThatThrownBy(() -> division().divide(new FileDisk(), source, 2))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the namespace with number 1");
    assertThat(directory.resolve("of 2/shard0")).doesNotExist();
  }

  private static void deleteNameOf(Path data, String namespace) throws RocksDBException {
    List<ColumnFamilyHandle> families = new ArrayList<>();
    try (DBOptions options = new DBOptions();
        ColumnFamilyOptions plain = new ColumnFamilyOptions();
        WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
        FlushOptions flush = new FlushOptions();
        RocksDB rocks =
            RocksDB.open(
                options,
                data.resolve("rocksdb").toString(),
                List.of(
                    new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, plain),
                    new ColumnFamilyDescriptor("meta".getBytes(US_ASCII), plain),
                    new ColumnFamilyDescriptor("catalog".getBytes(US_ASCII), plain)),
                families)) {
      byte[] key = ("namespace/" + namespace).getBytes(US_ASCII);
      assertThat(rocks.get(families.get(1), key)).isNotNull();
      rocks.delete(families.get(1), unlogged, key);
      rocks.flush(flush, families);
      families.forEach(ColumnFamilyHandle::close);
    }
  }

  /** A backup has no lock file, so nothing keeps a runtime of another process away. */
  @Test
  void backupThatIsOpenedMeanwhileIsRefused() throws Exception {
    Path backup = directory.resolve("backup");
    try (ObjectRuntime runtime = Holdfast.open(directory.resolve("source"), SplitPages::register)) {
      page(runtime, "sql1").write("there", new byte[10]);
      runtime.backup(backup);
    }
    List<Path> shards = List.of(directory.resolve("made"));
    Path work = Files.createDirectory(directory.resolve("work"));

    try (ShardSplit split = ShardSplit.open(new FileDisk(), backup)) {
      Files.createFile(backup.resolve("LOCK"));
      assertThatThrownBy(() -> split.write(shards, work, 0, () -> 7, (_, _, _, _) -> {}))
          .isInstanceOf(DirectoryInUseException.class);
    }
  }
}
