/** What the engine needs from others: storage backends, journal, alarm index, directory, clock. */
module dev.holdfast.spi {
  requires transitive dev.holdfast.api;
  requires static transitive org.jspecify;
}
