package dev.holdfast.statistics;

import dev.holdfast.event.ConsumerStatus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The numbers of a runtime at one moment. Immutable.
 *
 * <p>Each counter is exact. The parts are read one after the other while calls go on, so one part
 * may include an event that another one does not have yet; at rest they agree.
 *
 * @param state what the runtime does
 * @param uptimeNanos nanoseconds since the runtime was opened, up to the end of its close
 * @param recovery what the opening of the runtime took
 * @param journal the journal, which all namespaces share
 * @param databases the databases of SQLite
 * @param rocksDb RocksDB
 * @param valueCache the cache of values, which all namespaces share
 * @param archive the archive of the journal
 * @param cluster what a node of a cluster does; {@link ClusterStatistics#NONE} on a single machine
 * @param consumers the consumers of events that the data directory knows, by topic and name
 * @param namespaces what the objects of each namespace do, by its name
 */
public record RuntimeStatistics(
    RuntimeState state,
    long uptimeNanos,
    RecoveryStatistics recovery,
    JournalStatistics journal,
    DatabaseStatistics databases,
    RocksDbStatistics rocksDb,
    ValueCacheStatistics valueCache,
    ArchiveStatistics archive,
    ClusterStatistics cluster,
    List<ConsumerStatus> consumers,
    Map<String, NamespaceStatistics> namespaces) {

  /** Copies the list and the map. */
  public RuntimeStatistics {
    consumers = List.copyOf(consumers);
    namespaces = Map.copyOf(namespaces);
  }

  /**
   * Returns what happened after an earlier snapshot of the same runtime: counters and histograms
   * are subtracted, all else, the consumers among it, comes from this snapshot.
   *
   * @param earlier the earlier snapshot
   * @return the numbers of the time between the two
   */
  public RuntimeStatistics minus(RuntimeStatistics earlier) {
    Map<String, NamespaceStatistics> since = new HashMap<>(namespaces);
    earlier.namespaces.forEach(
        (name, before) -> since.computeIfPresent(name, (_, now) -> now.minus(before)));
    return new RuntimeStatistics(
        state,
        uptimeNanos - earlier.uptimeNanos,
        recovery,
        journal.minus(earlier.journal),
        databases.minus(earlier.databases),
        rocksDb.minus(earlier.rocksDb),
        valueCache.minus(earlier.valueCache),
        archive.minus(earlier.archive),
        cluster.minus(earlier.cluster),
        consumers,
        since);
  }
}
