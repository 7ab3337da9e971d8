/** The write-ahead journal: the only component that makes changes durable. */
module dev.holdfast.journal {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.journal;
  exports dev.holdfast.journal.image;
  exports dev.holdfast.journal.shard;
}
