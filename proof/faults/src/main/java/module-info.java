/**
 * Disks that fail and lose power, what stands before a real disk or journal, and a launcher of
 * processes.
 */
module dev.holdfast.faults {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.faults;
}
