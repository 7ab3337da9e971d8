package dev.holdfast.verify;

import dev.holdfast.spi.verify.Finding;
import java.util.List;

/**
 * The result of a check. Immutable.
 *
 * @param findings what was found, in the order manifest, journal, SQLite, RocksDB
 * @param firstPosition the position from which on every record of the journal can be read; of a
 *     node, the lowest of its shards
 * @param lastPosition the position of the last record; 0 if there is none; of a node, the highest
 * @param sqliteObjects how many objects in SQLite were checked
 * @param rocksDbObjects how many objects in RocksDB were checked
 * @param readBytes how many bytes were read at least once
 * @param shards the shards, if it is the directory of a node of a cluster
 */
public record VerifyReport(
    List<Finding> findings,
    long firstPosition,
    long lastPosition,
    long sqliteObjects,
    long rocksDbObjects,
    long readBytes,
    List<Shard> shards) {

  /**
   * A shard of a node of a cluster.
   *
   * @param shard its number
   * @param firstPosition the position from which on every record of its journal can be read
   * @param lastPosition the position of its last record
   * @param sqliteObjects how many of its objects in SQLite were checked
   * @param rocksDbObjects how many of its objects in RocksDB were checked
   */
  public record Shard(
      int shard, long firstPosition, long lastPosition, long sqliteObjects, long rocksDbObjects) {}

  /**
   * Creates a report.
   *
   * @param findings what was found; copied
   * @param shards of a node; copied
   */
  public VerifyReport {
    findings = List.copyOf(findings);
    shards = List.copyOf(shards);
  }

  /** The report of a data directory of a single machine, or of an archive. */
  VerifyReport(
      List<Finding> findings,
      long firstPosition,
      long lastPosition,
      long sqliteObjects,
      long rocksDbObjects,
      long readBytes) {
    this(
        findings, firstPosition, lastPosition, sqliteObjects, rocksDbObjects, readBytes, List.of());
  }

  /** {@return whether nothing was found that is more than a note} */
  public boolean isSound() {
    return findings.stream().noneMatch(Finding::counts);
  }
}
