/**
 * Support for an application's tests: a clock that the test controls, storage and a journal in
 * memory.
 */
module dev.holdfast.testkit {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.testkit;
}
