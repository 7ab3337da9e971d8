/** Histories of calls, and whether they could have happened one call after the other. */
module dev.holdfast.histories {
  requires static transitive org.jspecify;

  exports dev.holdfast.histories;
}
