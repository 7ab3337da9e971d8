/** Disks that fail and lose power, wrappers of a disk or journal, a log, a process launcher. */
module dev.holdfast.faults {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires static transitive org.jspecify;

  exports dev.holdfast.faults;
}
