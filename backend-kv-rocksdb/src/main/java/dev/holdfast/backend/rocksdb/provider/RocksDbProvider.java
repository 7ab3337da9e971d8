package dev.holdfast.backend.rocksdb.provider;

import dev.holdfast.StorageKind;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.storage.StorageProvider;
import java.nio.file.Path;

/** Opens RocksDB for a runtime that finds it among its dependencies. */
public final class RocksDbProvider implements StorageProvider {

  private static final String DIRECTORY = "rocksdb";
  private static final String FLUSHED_MARK = "rocksdb.flushed";

  /** For {@link java.util.ServiceLoader}. */
  public RocksDbProvider() {}

  @Override
  public StorageKind kind() {
    return StorageKind.ROCKSDB;
  }

  @Override
  public int viewId() {
    return RocksDbBackend.VIEW_ID;
  }

  /**
   * {@inheritDoc}
   *
   * @throws dev.holdfast.errors.DataDirectoryException as {@link RocksDbBackend#open(Path,
   *     RocksDbBackend.Binding, RocksDbBackend.Host, RocksDbOptions)} states
   */
  @Override
  public StorageBackend open(Opening opening) {
    Path data = opening.directory();
    return RocksDbBackend.open(
        data.resolve(DIRECTORY),
        new RocksDbBackend.Binding(data.resolve(FLUSHED_MARK), opening.log()),
        new RocksDbBackend.Host(opening.journal(), opening.threads(), opening.time()),
        RocksDbOptions.DEFAULT.withMemoryBytesMax(opening.options().rocksDbMemoryBytesMax()));
  }
}
