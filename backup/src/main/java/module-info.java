/** Online backup: a copy of a data directory in use, in another directory. */
module dev.holdfast.backup {
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.backup;
}
