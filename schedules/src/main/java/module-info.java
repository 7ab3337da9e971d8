/** The deterministic scheduler: threads in the order of a seed, or in every order. */
module dev.holdfast.schedules {
  requires transitive dev.holdfast.testkit;
  requires static transitive org.jspecify;

  exports dev.holdfast.schedules;
}
