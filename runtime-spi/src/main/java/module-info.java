/** What the engine needs from others: journal, storage backends, disk, time, threads. */
module dev.holdfast.spi {
  requires transitive dev.holdfast.api;
  requires static transitive org.jspecify;

  exports dev.holdfast.spi;
  exports dev.holdfast.spi.catalog;
  exports dev.holdfast.spi.disk;
}
