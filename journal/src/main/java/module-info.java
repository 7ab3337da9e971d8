/** The write-ahead journal: the only component that makes changes durable. */
@SuppressWarnings("module") // a module that is built later is a friend of this one
module dev.holdfast.journal {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.journal;
  exports dev.holdfast.journal.file to
      dev.holdfast.archiver,
      dev.holdfast.shards,
      dev.holdfast.verify;
  exports dev.holdfast.journal.group to
      dev.holdfast.shards;
  exports dev.holdfast.journal.retention to
      dev.holdfast.archiver,
      dev.holdfast.shards;
}
