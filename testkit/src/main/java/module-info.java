/** What a backend author and an application's tests need: fakes, faults, contract suites. */
module dev.holdfast.testkit {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires transitive org.junit.jupiter.api;
  requires transitive net.jqwik.api;
  requires org.assertj.core;
  requires static transitive org.jspecify;

  exports dev.holdfast.testkit;
  exports dev.holdfast.testkit.contract;
}
