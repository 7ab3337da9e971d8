/** Offline checks of a data directory, and repair. No runtime links it; the command line does. */
module dev.holdfast.verify {
  requires transitive dev.holdfast.spi;
  requires dev.holdfast;
  requires dev.holdfast.archiver;
  requires dev.holdfast.backup;
  requires dev.holdfast.journal;
  requires dev.holdfast.pitr;
  requires dev.holdfast.runtime;
  requires dev.holdfast.shards;
  requires dev.holdfast.backend.sqlite;
  requires dev.holdfast.backend.rocksdb;
  requires static transitive org.jspecify;

  exports dev.holdfast.verify;
}
