/** The contract of every storage backend and journal, as test suites to extend. */
module dev.holdfast.contract {
  requires transitive dev.holdfast.testkit;
  requires transitive org.junit.jupiter.api;
  requires transitive net.jqwik.api;
  requires dev.holdfast.faults;
  requires org.assertj.core;
  requires static transitive org.jspecify;

  exports dev.holdfast.contract;
}
