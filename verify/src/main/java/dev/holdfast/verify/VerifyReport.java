package dev.holdfast.verify;

import dev.holdfast.spi.verify.Finding;
import java.util.List;

/**
 * The result of a check. Immutable.
 *
 * @param findings what was found, in the order manifest, journal, SQLite, RocksDB
 * @param firstPosition the position from which on every record of the journal can be read
 * @param lastPosition the position of the last record; 0 if there is none
 * @param sqliteObjects how many objects in SQLite were checked
 * @param rocksDbObjects how many objects in RocksDB were checked
 * @param readBytes how many bytes were read at least once
 */
public record VerifyReport(
    List<Finding> findings,
    long firstPosition,
    long lastPosition,
    long sqliteObjects,
    long rocksDbObjects,
    long readBytes) {

  /**
   * Creates a report.
   *
   * @param findings what was found; copied
   */
  public VerifyReport {
    findings = List.copyOf(findings);
  }

  /** {@return whether nothing was found that is more than a note} */
  public boolean isSound() {
    return findings.stream().noneMatch(Finding::counts);
  }
}
