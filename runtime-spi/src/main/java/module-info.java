/** The interfaces that the engine depends on: journal, storage backends, disk, threads. */
module dev.holdfast.spi {
  requires transitive dev.holdfast.api;
  requires static transitive org.jspecify;

  exports dev.holdfast.spi;
  exports dev.holdfast.spi.backup;
  exports dev.holdfast.spi.catalog;
  exports dev.holdfast.spi.disk;
  exports dev.holdfast.spi.inspect;
  exports dev.holdfast.spi.log;
  exports dev.holdfast.spi.statistics;
  exports dev.holdfast.spi.storage;
  exports dev.holdfast.spi.verify;

  uses dev.holdfast.spi.storage.StorageProvider;
}
