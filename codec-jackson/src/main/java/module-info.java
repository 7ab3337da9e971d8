/** Values of classes that Jackson 3 reads and writes. No other module depends on it. */
module dev.holdfast.jackson {
  requires transitive dev.holdfast.api;
  requires transitive tools.jackson.databind;
  requires static transitive org.jspecify;

  exports dev.holdfast.jackson;
}
