/**
 * The statistics of a runtime as meters of Micrometer, and its calls as observations. No other
 * module depends on it.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // names, no descriptors
module dev.holdfast.micrometer {
  requires transitive dev.holdfast.api;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;
  requires micrometer.commons;
  requires static transitive micrometer.tracing;
  requires static transitive org.jspecify;

  exports dev.holdfast.micrometer;
}
