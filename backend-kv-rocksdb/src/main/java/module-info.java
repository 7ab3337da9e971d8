/**
 * One RocksDB for the key-value data of all objects, as a materialised view of the journal.
 *
 * <p>RocksDB's Java library is optional and not a module: its name on a module path would be made
 * up from the name of its file. So it is not required here; the backend finds it when a database is
 * opened, on the class path or among the modules of the application.
 */
module dev.holdfast.backend.rocksdb {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.backend.rocksdb;

  provides dev.holdfast.spi.storage.StorageProvider with
      dev.holdfast.backend.rocksdb.provider.RocksDbProvider;
}
