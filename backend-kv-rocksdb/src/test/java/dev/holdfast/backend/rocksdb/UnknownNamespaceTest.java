package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.database.Database;
import dev.holdfast.backend.rocksdb.database.DatabaseFiles;
import dev.holdfast.backend.rocksdb.file.NativeLibrary;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that has lost the name of a namespace is not divided. */
class UnknownNamespaceTest {

  private static final ObjectKey KEY = new ObjectKey("keys", ObjectId.of(new byte[32], null));

  @TempDir private Path directory;

  private RocksDbSplit withObjectOf(int namespace) throws Exception {
    Path data = Files.createDirectory(directory.resolve("rocksdb"));
    NativeLibrary.load(data);
    DatabaseFiles.Bounds bounds = new DatabaseFiles.Bounds(8 << 20, 8 << 20, 64, 2);
    try (Database made = new DatabaseFiles(data, bounds, null).open()) {
      assertThat(made.prefixOf(KEY).namespaceNumber()).isEqualTo(1);
      ObjectPrefix prefix = new ObjectPrefix(namespace, KEY);
      CatalogChange exists = new CatalogChange(true, "one", null);
      made.write(List.of(new SealedBatch(1, KEY, prefix, false, List.of(), exists)), 1, 7);
      made.flush();
    }
    return RocksDbSplit.open(data, Files.createDirectory(directory.resolve("logs")));
  }

  @Test
  void objectOfAKnownNamespaceIsPassedOn() throws Exception {
    List<ObjectKey> found = new ArrayList<>();
    try (RocksDbSplit split = withObjectOf(1)) {
      split.forEachObject(found::add);
    }
    assertThat(found).containsExactly(KEY);
  }

  @Test
  void objectOfAnUnknownNamespaceIsRefused() throws Exception {
    try (RocksDbSplit split = withObjectOf(9)) {
      assertThatThrownBy(() -> split.forEachObject(_ -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("the namespace with number 9")
          .hasMessageContaining("./holdfast verify");
    }
  }
}
