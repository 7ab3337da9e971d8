/** The engine. Sees backends and the journal only through the SPI. */
module dev.holdfast.runtime {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires transitive dev.holdfast.clone;
  requires jdk.jfr;
  requires com.github.benmanes.caffeine;
  requires static transitive org.jspecify;

  exports dev.holdfast.runtime;
}
