package dev.holdfast.cluster;

import dev.holdfast.cluster.object.ClusterAdmin;
import dev.holdfast.statistics.AlarmStatistics;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.CallStatistics;
import dev.holdfast.statistics.ClusterStatistics;
import dev.holdfast.statistics.DatabaseStatistics;
import dev.holdfast.statistics.HistogramSnapshot;
import dev.holdfast.statistics.HistogramSnapshot.Bucket;
import dev.holdfast.statistics.JournalStatistics;
import dev.holdfast.statistics.NamespaceStatistics;
import dev.holdfast.statistics.RecoveryStatistics;
import dev.holdfast.statistics.ResetReason;
import dev.holdfast.statistics.RocksDbStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.statistics.ValueCacheStatistics;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The numbers of the shards of a node, added up. Stateless. */
final class NodeStatistics {

  private NodeStatistics() {}

  /**
   * {@return the sums}
   *
   * @param cluster the numbers of the node itself
   * @param shards the numbers of the shards that are open
   */
  static RuntimeStatistics sum(
      RuntimeState state,
      long uptimeNanos,
      ClusterStatistics cluster,
      List<RuntimeStatistics> shards) {
    RuntimeStatistics sum =
        new RuntimeStatistics(
            state,
            uptimeNanos,
            RecoveryStatistics.NONE,
            JournalStatistics.at(0, 0),
            DatabaseStatistics.NONE,
            RocksDbStatistics.NONE,
            ValueCacheStatistics.NONE,
            ArchiveStatistics.NONE,
            cluster,
            ClusterAdmin.merged(shards.stream().map(RuntimeStatistics::consumers).toList()),
            Map.of());
    for (RuntimeStatistics each : shards) {
      sum = plus(sum, each);
    }
    return sum;
  }

  private static RuntimeStatistics plus(RuntimeStatistics a, RuntimeStatistics b) {
    Map<String, NamespaceStatistics> namespaces = new HashMap<>(a.namespaces());
    b.namespaces().forEach((name, each) -> namespaces.merge(name, each, NodeStatistics::plus));
    return new RuntimeStatistics(
        a.state(),
        a.uptimeNanos(),
        new RecoveryStatistics(
            a.recovery().nanos() + b.recovery().nanos(),
            a.recovery().records() + b.recovery().records()),
        plus(a.journal(), b.journal()),
        plus(a.databases(), b.databases()),
        plus(a.rocksDb(), b.rocksDb()),
        new ValueCacheStatistics(
            a.valueCache().hits() + b.valueCache().hits(),
            a.valueCache().misses() + b.valueCache().misses(),
            a.valueCache().evictions() + b.valueCache().evictions(),
            a.valueCache().bytes() + b.valueCache().bytes()),
        plus(a.archive(), b.archive()),
        a.cluster(),
        a.consumers(),
        namespaces);
  }

  private static JournalStatistics plus(JournalStatistics a, JournalStatistics b) {
    return new JournalStatistics(
        a.lastPosition() + b.lastPosition(),
        a.durablePosition() + b.durablePosition(),
        plus(a.recordsPerGroup(), b.recordsPerGroup()),
        plus(a.syncNanos(), b.syncNanos()),
        plus(a.proofNanos(), b.proofNanos()),
        a.bytes() + b.bytes(),
        a.waiters() + b.waiters(),
        a.segments() + b.segments(),
        a.bytesOnDisk() + b.bytesOnDisk(),
        a.lowWaterMark() + b.lowWaterMark(),
        a.historyFrom() + b.historyFrom(),
        later(a.historySince(), b.historySince()));
  }

  /** {@return the sum of two caps, of which the largest long is none} */
  static long capped(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  /** {@return since when all can be restored} */
  static @Nullable Instant later(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isAfter(a)) ? b : a;
  }

  private static DatabaseStatistics plus(DatabaseStatistics a, DatabaseStatistics b) {
    return new DatabaseStatistics(
        a.open() + b.open(),
        plus(a.openingNanos(), b.openingNanos()),
        a.closings() + b.closings(),
        plus(a.saveNanos(), b.saveNanos()),
        a.unsaved() + b.unsaved(),
        Math.max(a.saveLag(), b.saveLag()),
        Math.max(a.saveLagNanos(), b.saveLagNanos()),
        a.redoneBatches() + b.redoneBatches());
  }

  private static RocksDbStatistics plus(RocksDbStatistics a, RocksDbStatistics b) {
    return new RocksDbStatistics(
        a.memtableBytes() + b.memtableBytes(),
        a.pendingBatches() + b.pendingBatches(),
        a.pendingBytes() + b.pendingBytes(),
        a.tableBytes() + b.tableBytes(),
        a.blockCacheBytes() + b.blockCacheBytes(),
        a.blockCacheHits() + b.blockCacheHits(),
        a.blockCacheMisses() + b.blockCacheMisses(),
        a.flushedBytes() + b.flushedBytes(),
        a.compactedBytes() + b.compactedBytes(),
        a.stallNanos() + b.stallNanos(),
        a.redoneBatches() + b.redoneBatches());
  }

  private static NamespaceStatistics plus(NamespaceStatistics a, NamespaceStatistics b) {
    Map<ResetReason, Long> resets = new HashMap<>(a.resets());
    b.resets().forEach((reason, count) -> resets.merge(reason, count, Long::sum));
    return new NamespaceStatistics(
        a.live() + b.live(),
        a.queued() + b.queued(),
        new CallStatistics(
            a.calls().returned() + b.calls().returned(),
            a.calls().threw() + b.calls().threw(),
            a.calls().reset() + b.calls().reset(),
            a.calls().timedOut() + b.calls().timedOut(),
            a.calls().overloaded() + b.calls().overloaded()),
        a.turns() + b.turns(),
        a.activations() + b.activations(),
        a.evictions() + b.evictions(),
        resets,
        a.batches() + b.batches(),
        a.batchBytes() + b.batchBytes(),
        plus(a.activationNanos(), b.activationNanos()),
        plus(a.turnNanos(), b.turnNanos()),
        plus(a.inputGateNanos(), b.inputGateNanos()),
        plus(a.outputGateNanos(), b.outputGateNanos()),
        new AlarmStatistics(
            a.alarms().pending() + b.alarms().pending(),
            a.alarms().due() + b.alarms().due(),
            a.alarms().running() + b.alarms().running(),
            a.alarms().ran() + b.alarms().ran(),
            a.alarms().failed() + b.alarms().failed(),
            a.alarms().givenUp() + b.alarms().givenUp(),
            plus(a.alarms().lateNanos(), b.alarms().lateNanos())));
  }

  /** From the best state of an archive to the worst one. */
  private static final List<ArchiveStatistics.State> STATES =
      List.of(
          ArchiveStatistics.State.NONE,
          ArchiveStatistics.State.RUNNING,
          ArchiveStatistics.State.STARTING,
          ArchiveStatistics.State.GAP,
          ArchiveStatistics.State.STOPPED);

  /** The state is the worst one. */
  private static ArchiveStatistics plus(ArchiveStatistics a, ArchiveStatistics b) {
    return new ArchiveStatistics(
        STATES.indexOf(a.state()) < STATES.indexOf(b.state()) ? b.state() : a.state(),
        Math.max(a.generation(), b.generation()),
        a.position() + b.position(),
        a.basePosition() + b.basePosition(),
        Math.max(a.lagNanos(), b.lagNanos()),
        a.chunks() + b.chunks(),
        a.bytes() + b.bytes(),
        a.failures() + b.failures(),
        a.retention() == null ? b.retention() : a.retention());
  }

  /** Histograms of one kind have the same buckets, empty ones left out. */
  private static HistogramSnapshot plus(HistogramSnapshot a, HistogramSnapshot b) {
    TreeMap<Long, Bucket> buckets = new TreeMap<>();
    a.buckets().forEach(each -> buckets.put(each.to(), each));
    b.buckets()
        .forEach(
            each ->
                buckets.merge(
                    each.to(),
                    each,
                    (x, y) -> new Bucket(x.from(), x.to(), x.count() + y.count())));
    return new HistogramSnapshot(
        List.copyOf(buckets.values()),
        a.sum() + b.sum(),
        Math.max(a.max(), b.max()),
        Math.max(a.samplingWeight(), b.samplingWeight()));
  }
}
