package dev.holdfast.spring;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code holdfast.*}. What is not set is as in {@link RuntimeOptions#DEFAULT} and
 * {@link NamespaceOptions#DEFAULT}.
 *
 * @param directory the data directory, made if it does not exist
 * @param turnWarning the time after which a turn is logged as slow
 * @param closeTimeout how long the end of the application waits for turns and replies
 * @param openDatabasesMax the number of SQLite databases that stay open
 * @param valueCacheMax the size of the cache of values
 * @param rocksDbMemoryMax the memory of RocksDB
 * @param historyMax the size of the history; half of the free disk space if not set
 * @param outboxMax the size up to which the journal keeps events for a consumer that is behind
 * @param operatorSocket whether {@code ./holdfast inspect} and other commands reach the process
 * @param archive where the journal is archived
 * @param namespaces options of single namespaces, by name
 */
@ConfigurationProperties("holdfast")
public record HoldfastProperties(
    @DefaultValue("holdfast-data") Path directory,
    @Nullable Duration turnWarning,
    @Nullable Duration closeTimeout,
    @Nullable Integer openDatabasesMax,
    @Nullable DataSize valueCacheMax,
    @Nullable DataSize rocksDbMemoryMax,
    @Nullable DataSize historyMax,
    @Nullable DataSize outboxMax,
    @DefaultValue("false") boolean operatorSocket,
    @DefaultValue Archive archive,
    @DefaultValue Map<String, Namespace> namespaces) {

  /**
   * The archive.
   *
   * @param directory a directory on another disk or machine; no archive if not set
   * @param retention how far back every moment stays restorable; more than zero, nothing is ever
   *     deleted if not set
   */
  public record Archive(@Nullable Path directory, @Nullable Duration retention) {

    /** {@return the options; null for no archive} */
    @Nullable ArchiveOptions options() {
      if (directory == null) {
        return null;
      }
      ArchiveOptions options = ArchiveOptions.to(new DirectoryArchive(directory));
      return retention == null ? options : options.withRetention(retention);
    }
  }

  /**
   * Options of one namespace.
   *
   * @param storage the engine that keeps the data
   * @param idleTimeout how long an object without work stays in memory
   * @param queueLengthMax the number of events that may wait for one object
   * @param criticalSectionTimeout how long a critical section may take
   * @param recoveryWindow how far back an object can be restored
   */
  public record Namespace(
      @Nullable StorageKind storage,
      @Nullable Duration idleTimeout,
      @Nullable Integer queueLengthMax,
      @Nullable Duration criticalSectionTimeout,
      @Nullable Duration recoveryWindow) {

    NamespaceOptions over(NamespaceOptions options) {
      NamespaceOptions all = options;
      if (storage != null) {
        all = all.withStorage(storage);
      }
      if (idleTimeout != null) {
        all = all.withIdleTimeout(idleTimeout);
      }
      if (queueLengthMax != null) {
        all = all.withQueueLengthMax(queueLengthMax);
      }
      if (criticalSectionTimeout != null) {
        all = all.withCriticalSectionTimeout(criticalSectionTimeout);
      }
      return recoveryWindow == null ? all : all.withRecoveryWindow(recoveryWindow);
    }
  }

  RuntimeOptions runtimeOptions() {
    RuntimeOptions all = RuntimeOptions.DEFAULT;
    if (turnWarning != null) {
      all = all.withTurnWarning(turnWarning);
    }
    if (closeTimeout != null) {
      all = all.withCloseTimeout(closeTimeout);
    }
    if (openDatabasesMax != null) {
      all = all.withOpenDatabasesMax(openDatabasesMax);
    }
    if (valueCacheMax != null) {
      all = all.withValueCacheBytesMax(valueCacheMax.toBytes());
    }
    if (rocksDbMemoryMax != null) {
      all = all.withRocksDbMemoryBytesMax(rocksDbMemoryMax.toBytes());
    }
    if (historyMax != null) {
      all = all.withHistoryBytesMax(historyMax.toBytes());
    }
    if (outboxMax != null) {
      all = all.withOutboxBytesMax(outboxMax.toBytes());
    }
    if (operatorSocket) {
      all = all.withOperatorSocket();
    }
    ArchiveOptions archived = archive.options();
    return archived == null ? all : all.withArchive(archived);
  }
}
