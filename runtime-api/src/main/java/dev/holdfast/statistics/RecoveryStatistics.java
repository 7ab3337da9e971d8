package dev.holdfast.statistics;

/**
 * What a runtime did to be opened. The same in each snapshot of a runtime. Immutable.
 *
 * @param nanos how long the journal and the files of the objects were read and repaired, in
 *     nanoseconds
 * @param records how many records of the journal were read for that; what each storage engine redid
 *     is a separate number
 */
public record RecoveryStatistics(long nanos, long records) {

  /** The numbers of a runtime that had nothing to recover. */
  public static final RecoveryStatistics NONE = new RecoveryStatistics(0, 0);
}
