package dev.holdfast.micrometer;

import static io.micrometer.core.instrument.binder.BaseUnits.BYTES;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.micrometer.RuntimeSnapshots.Snapshot;
import dev.holdfast.statistics.ArchiveStatistics;
import dev.holdfast.statistics.DatabaseStatistics;
import dev.holdfast.statistics.JournalStatistics;
import dev.holdfast.statistics.RecoveryStatistics;
import dev.holdfast.statistics.RocksDbStatistics;
import dev.holdfast.statistics.RuntimeState;
import dev.holdfast.statistics.RuntimeStatistics;
import dev.holdfast.statistics.ValueCacheStatistics;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of what all namespaces share. */
final class RuntimeMeters {

  /** The reasons that have a meter before they occur for the first time. */
  static final List<String> HEALTH_REASONS =
      List.of(
          HealthReason.RUNTIME_CLOSED,
          HealthReason.JOURNAL_FAILED,
          HealthReason.ENGINE_FAILED,
          HealthReason.JOURNAL_STALLED,
          HealthReason.DISK_NEARLY_FULL,
          HealthReason.DIRECTORY_NOT_WRITABLE,
          HealthReason.ALARMS_LATE,
          HealthReason.ALARMS_ABANDONED,
          HealthReason.EXECUTION_LONG,
          HealthReason.SAVE_LATE,
          HealthReason.OBJECTS_REFUSED,
          HealthReason.HISTORY_SHORT,
          HealthReason.HISTORY_HELD,
          HealthReason.PURGE_WAITS,
          HealthReason.CONSUMER_CUT_OFF,
          HealthReason.ARCHIVE_LATE,
          HealthReason.ARCHIVE_STOPPED,
          HealthReason.ARCHIVE_BOUND,
          HealthReason.ARCHIVE_GAP,
          HealthReason.ARCHIVE_RESTARTED,
          HealthReason.SHARD_STOPPED,
          HealthReason.SHARD_NOT_OPENED,
          HealthReason.SHARD_CATCHING_UP,
          HealthReason.SHARD_NOT_FED,
          HealthReason.SHARD_LARGE,
          HealthReason.SHARD_HOT,
          HealthReason.SHARD_WITHOUT_OWNER,
          HealthReason.NO_MAJORITY,
          HealthReason.MEMBER_AWAY,
          HealthReason.CERTIFICATE,
          HealthReason.NODE_REFUSED);

  private static final String RECORDS = "records";

  private RuntimeMeters() {}

  static void register(Meters<Snapshot> meters) {
    Meters<RuntimeStatistics> runtime = meters.of(Snapshot::statistics);
    state(meters, runtime);
    recovery(runtime);
    journal(runtime.of(RuntimeStatistics::journal));
    databases(runtime.of(RuntimeStatistics::databases));
    rocksDb(runtime.of(RuntimeStatistics::rocksDb));
    valueCache(runtime.of(RuntimeStatistics::valueCache));
    archive(runtime.of(RuntimeStatistics::archive));
    ClusterMeters.register(runtime.of(RuntimeStatistics::cluster));
  }

  private static void state(Meters<Snapshot> meters, Meters<RuntimeStatistics> runtime) {
    for (RuntimeState state : RuntimeState.values()) {
      runtime
          .with("state", tag(state))
          .gauge(
              "holdfast.runtime.state",
              null,
              "1 for the state of the runtime, 0 for the others",
              s -> oneIf(s.state() == state));
    }
    for (HealthState state : HealthState.values()) {
      meters
          .with("state", tag(state))
          .gauge(
              "holdfast.health",
              null,
              "1 for the health of the runtime, 0 for the others",
              s -> oneIf(s.health().state() == state));
    }
    runtime.time(
        "holdfast.uptime",
        "Since the runtime was opened",
        NANOSECONDS,
        RuntimeStatistics::uptimeNanos);
  }

  static void registerReason(Meters<Snapshot> meters, String code) {
    meters
        .with("reason", code)
        .gauge(
            "holdfast.health.reason",
            null,
            "1 while the reason holds",
            s -> oneIf(s.health().reasons().stream().anyMatch(each -> each.code().equals(code))));
  }

  private static void recovery(Meters<RuntimeStatistics> runtime) {
    Meters<RecoveryStatistics> recovery = runtime.of(RuntimeStatistics::recovery);
    recovery.time(
        "holdfast.recovery.time",
        "How long the opening read and repaired files",
        NANOSECONDS,
        RecoveryStatistics::nanos);
    recovery.gauge(
        "holdfast.recovery.records",
        RECORDS,
        "Records of the journal that the opening read",
        RecoveryStatistics::records);
    runtime
        .with("engine", "sqlite")
        .gauge(
            "holdfast.recovery.batches",
            "batches",
            "Batches that the opening redid from the journal",
            s -> s.databases().redoneBatches());
    runtime
        .with("engine", "rocksdb")
        .gauge(
            "holdfast.recovery.batches",
            "batches",
            "Batches that the opening redid from the journal",
            s -> s.rocksDb().redoneBatches());
  }

  private static void journal(Meters<JournalStatistics> journal) {
    journal.counter(
        "holdfast.journal.records", RECORDS, "Durable records", JournalStatistics::records);
    journal.counter(
        "holdfast.journal.groups",
        "groups",
        "Durable groups, each with one sync",
        JournalStatistics::groups);
    journal.counter(
        "holdfast.journal.bytes", BYTES, "The size of the groups", JournalStatistics::bytes);
    journal.timer(
        "holdfast.journal.sync.time",
        "The write and the sync of a group; in a cluster, until a majority had it",
        JournalStatistics::syncNanos);
    journal.timer(
        "holdfast.journal.proof.time",
        "In a cluster, a proof that this node still owned the shard",
        JournalStatistics::proofNanos);
    journal.gauge(
        "holdfast.journal.waiters",
        null,
        "Callers that wait until a position is durable",
        JournalStatistics::waiters);
    journal.gauge(
        "holdfast.journal.undurable.records",
        RECORDS,
        "Records that were appended and are not durable yet",
        s -> s.lastPosition() - s.durablePosition());
    journal.gauge(
        "holdfast.journal.segments", "segments", "Segment files", JournalStatistics::segments);
    journal.gauge(
        "holdfast.journal.size", BYTES, "The journal on the disk", JournalStatistics::bytesOnDisk);
    journal.gauge(
        "holdfast.journal.lag.records",
        RECORDS,
        "Records that a recovery would read now",
        JournalStatistics::lowWaterLag);
    journal.time(
        "holdfast.journal.history.start",
        "The time from which on every record is kept, since 1970; NaN if there is none",
        MILLISECONDS,
        s -> millis(s.historySince()));
  }

  private static double millis(@Nullable Instant time) {
    return time == null ? Double.NaN : time.toEpochMilli();
  }

  private static void databases(Meters<DatabaseStatistics> databases) {
    databases.gauge(
        "holdfast.databases", "databases", "Open SQLite databases", DatabaseStatistics::open);
    databases.timer(
        "holdfast.database.opening.time",
        "The opening of a SQLite database",
        DatabaseStatistics::openingNanos);
    databases.counter(
        "holdfast.database.closings",
        "closings",
        "Databases that were closed",
        DatabaseStatistics::closings);
    databases.timer(
        "holdfast.database.save.time",
        "The save of an object's file",
        DatabaseStatistics::saveNanos);
    databases.gauge(
        "holdfast.database.unsaved.objects",
        "objects",
        "Objects with batches that only the journal has durably",
        DatabaseStatistics::unsaved);
    databases.gauge(
        "holdfast.database.save.lag.records",
        RECORDS,
        "Records that the journal keeps for unsaved objects",
        DatabaseStatistics::saveLag);
    databases.time(
        "holdfast.database.save.delay",
        "How long the oldest requested save has been waiting or running",
        NANOSECONDS,
        DatabaseStatistics::saveLagNanos);
  }

  private static void rocksDb(Meters<RocksDbStatistics> rocksDb) {
    rocksDb.gauge(
        "holdfast.rocksdb.memtable.size",
        BYTES,
        "Writes that RocksDB has not flushed",
        RocksDbStatistics::memtableBytes);
    rocksDb.gauge(
        "holdfast.rocksdb.pending.batches",
        "batches",
        "Batches that are not yet in RocksDB",
        RocksDbStatistics::pendingBatches);
    rocksDb.gauge(
        "holdfast.rocksdb.pending.size",
        BYTES,
        "The memory of these batches",
        RocksDbStatistics::pendingBytes);
    rocksDb.gauge(
        "holdfast.rocksdb.table.size",
        BYTES,
        "The table files of RocksDB",
        RocksDbStatistics::tableBytes);
    rocksDb.gauge(
        "holdfast.rocksdb.block.cache.size",
        BYTES,
        "The memory of the block cache",
        RocksDbStatistics::blockCacheBytes);
    gets(
        rocksDb,
        "holdfast.rocksdb.block.cache.gets",
        "Reads of blocks, from the block cache or from files",
        RocksDbStatistics::blockCacheHits,
        RocksDbStatistics::blockCacheMisses);
    rocksDb.counter(
        "holdfast.rocksdb.flushed.bytes",
        BYTES,
        "Flushed from memory to files",
        RocksDbStatistics::flushedBytes);
    rocksDb.counter(
        "holdfast.rocksdb.compacted.bytes",
        BYTES,
        "Written by compactions",
        RocksDbStatistics::compactedBytes);
    rocksDb.counter(
        "holdfast.rocksdb.stall.seconds",
        "seconds",
        "How long RocksDB held writes back",
        s -> s.stallNanos() / 1e9);
  }

  private static void valueCache(Meters<ValueCacheStatistics> cache) {
    gets(
        cache,
        "holdfast.cache.gets",
        "Reads of keys, from the value cache or from the storage",
        ValueCacheStatistics::hits,
        ValueCacheStatistics::misses);
    cache.counter(
        "holdfast.cache.evictions",
        "evictions",
        "Values that were dropped because the value cache was full",
        ValueCacheStatistics::evictions);
    cache.gauge(
        "holdfast.cache.size", BYTES, "The memory of the value cache", ValueCacheStatistics::bytes);
  }

  private static void archive(Meters<ArchiveStatistics> archive) {
    for (ArchiveStatistics.State state : ArchiveStatistics.State.values()) {
      archive
          .with("state", tag(state))
          .gauge(
              "holdfast.archive.state",
              null,
              "1 for the state of the archive, 0 for the others",
              s -> oneIf(s.state() == state));
    }
    archive.time(
        "holdfast.archive.delay",
        "Every record that was durable this long ago is archived",
        NANOSECONDS,
        ArchiveStatistics::lagNanos);
    archive.counter(
        "holdfast.archive.chunks",
        "chunks",
        "Parts of the journal that were archived",
        ArchiveStatistics::chunks);
    archive.counter(
        "holdfast.archive.bytes", BYTES, "The size of these parts", ArchiveStatistics::bytes);
    archive.counter(
        "holdfast.archive.failures",
        "failures",
        "Operations of the store that have failed",
        ArchiveStatistics::failures);
  }

  private static <S> void gets(
      Meters<S> meters,
      String name,
      String text,
      ToDoubleFunction<S> hits,
      ToDoubleFunction<S> misses) {
    meters.with("result", "hit").counter(name, null, text, hits);
    meters.with("result", "miss").counter(name, null, text, misses);
  }

  /** {@return the name of a constant as the value of a tag} */
  static String tag(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static double oneIf(boolean holds) {
    return holds ? 1 : 0;
  }
}
