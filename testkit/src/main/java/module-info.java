/** What an application's tests need: time that stands still, storage and a journal in memory. */
module dev.holdfast.testkit {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.testkit;
}
