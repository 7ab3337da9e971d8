/** The write-ahead journal: the only thing that makes anything durable. */
module dev.holdfast.journal {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.journal;
}
