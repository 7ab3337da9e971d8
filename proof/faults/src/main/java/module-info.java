/**
 * Disks that fail and lose power, wrappers of a disk or journal, a log, a process launcher,
 * directories of tests, free ports.
 */
module dev.holdfast.faults {
  requires transitive dev.holdfast.api;
  requires transitive dev.holdfast.spi;
  requires java.management;
  requires jdk.management;
  requires static transitive org.jspecify;
  requires static transitive org.junit.jupiter.api;
  // Only the process of a planted fault runs tests itself.
  requires static org.junit.platform.engine;
  requires static org.junit.platform.launcher;

  exports dev.holdfast.faults;
  exports dev.holdfast.faults.planted;
}
