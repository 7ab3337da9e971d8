package dev.holdfast;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.health.HealthOptions;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a runtime behaves as a whole. Immutable; change with the {@code with} methods.
 *
 * @param turnWarning the runtime reports a turn that takes longer, once and with its stack, as a
 *     warning of the system logger {@code dev.holdfast}; more than zero
 * @param closeTimeout how long {@link ObjectRuntime#close} waits for running calls before it
 *     interrupts them; zero or more
 * @param openDatabasesMax the number of SQLite connections that stay open at once, each with about
 *     200 KiB of native memory. Further objects stay alive and reopen their database when they need
 *     it. A transaction that waits keeps its connection, which is not counted; at least 1
 * @param valueCacheBytesMax the approximate memory for values that objects of all storage engines
 *     have read recently; 0 for no cache
 * @param rocksDbMemoryBytesMax the approximate memory of RocksDB, if it is used: one third each for
 *     its block cache, its write buffers and the changes that wait for it; at least 3 MiB
 * @param historyBytesMax the size of the journal up to which it keeps history. Beyond it the oldest
 *     history of all objects is dropped first, even inside the recovery window. Records that a
 *     crash recovery or a requested restore needs stay. At least 0; {@link Long#MAX_VALUE} for no
 *     cap; {@link #HISTORY_BY_DISK} for half of the disk space that is free, or taken by the
 *     journal, when the runtime is opened, and at least 1 GiB
 * @param health when {@link ObjectRuntime#health} and the log report trouble
 * @param operatorSocket whether the runtime listens on a Unix domain socket in its data directory,
 *     for {@code ./holdfast inspect} and other commands of operators. Only its own user may use it,
 *     and each use is logged
 * @param archive where the journal is archived, and how; null for no archive
 * @param outboxBytesMax the size of the journal up to which it keeps emitted events for a consumer
 *     that is behind. Beyond it the oldest records may be dropped, and the consumer is cut off; at
 *     least 0
 * @param shardRules whether objects are treated as a cluster would; see {@link #withShardRules}
 */
public record RuntimeOptions(
    Duration turnWarning,
    Duration closeTimeout,
    int openDatabasesMax,
    long valueCacheBytesMax,
    long rocksDbMemoryBytesMax,
    long historyBytesMax,
    HealthOptions health,
    boolean operatorSocket,
    @Nullable ArchiveOptions archive,
    long outboxBytesMax,
    boolean shardRules) {

  /** Value of {@link #historyBytesMax} for a cap that follows from the free space of the disk. */
  public static final long HISTORY_BY_DISK = -1;

  /**
   * Warning after 5 seconds, close within 30 seconds, at most 1,500 open databases, 32 MiB of
   * cached values, 192 MiB for RocksDB, history up to half of the free disk space, no socket for
   * operators, no archive, 1 GiB for events, no rules of shards.
   */
  public static final RuntimeOptions DEFAULT =
      new RuntimeOptions(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          1_500,
          32L << 20,
          192L << 20,
          HISTORY_BY_DISK,
          HealthOptions.DEFAULT,
          false,
          null,
          1L << 30,
          false);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if a number or a time is out of its range
   */
  public RuntimeOptions {
    if (turnWarning.isZero() || turnWarning.isNegative()) {
      throw new IllegalArgumentException("turnWarning must be more than zero: " + turnWarning);
    }
    if (closeTimeout.isNegative()) {
      throw new IllegalArgumentException("closeTimeout must not be negative: " + closeTimeout);
    }
    if (openDatabasesMax < 1) {
      throw new IllegalArgumentException(
          "openDatabasesMax must be at least 1: " + openDatabasesMax);
    }
    if (valueCacheBytesMax < 0) {
      throw new IllegalArgumentException(
          "valueCacheBytesMax must not be negative: " + valueCacheBytesMax);
    }
    if (rocksDbMemoryBytesMax < 3 << 20) {
      throw new IllegalArgumentException(
          "rocksDbMemoryBytesMax must be at least 3 MiB: " + rocksDbMemoryBytesMax);
    }
    if (historyBytesMax < 0 && historyBytesMax != HISTORY_BY_DISK) {
      throw new IllegalArgumentException("historyBytesMax must be at least 0: " + historyBytesMax);
    }
    if (outboxBytesMax < 0) {
      throw new IllegalArgumentException("outboxBytesMax must be at least 0: " + outboxBytesMax);
    }
  }

  /**
   * {@return these options with another limit for the warning about turns}
   *
   * @param limit the new limit
   * @throws IllegalArgumentException if the limit is zero or negative
   */
  public RuntimeOptions withTurnWarning(Duration limit) {
    return with(draft -> draft.turnWarning = limit);
  }

  /**
   * {@return these options with another close timeout}
   *
   * @param timeout the new time
   * @throws IllegalArgumentException if the time is negative
   */
  public RuntimeOptions withCloseTimeout(Duration timeout) {
    return with(draft -> draft.closeTimeout = timeout);
  }

  /**
   * {@return these options with another bound on open databases}
   *
   * @param max the new bound
   * @throws IllegalArgumentException if the bound is less than 1
   */
  public RuntimeOptions withOpenDatabasesMax(int max) {
    return with(draft -> draft.openDatabasesMax = max);
  }

  /**
   * {@return these options with another bound on cached values}
   *
   * @param bytes the new bound; 0 for no cache
   * @throws IllegalArgumentException if the bound is negative
   */
  public RuntimeOptions withValueCacheBytesMax(long bytes) {
    return with(draft -> draft.valueCacheBytesMax = bytes);
  }

  /**
   * {@return these options with another bound on RocksDB's memory}
   *
   * @param bytes the new bound
   * @throws IllegalArgumentException if the bound is less than 3 MiB
   */
  public RuntimeOptions withRocksDbMemoryBytesMax(long bytes) {
    return with(draft -> draft.rocksDbMemoryBytesMax = bytes);
  }

  /**
   * {@return these options with another cap on the disk space of the history}
   *
   * @param bytes the new cap; or {@link Long#MAX_VALUE} or {@link #HISTORY_BY_DISK}
   * @throws IllegalArgumentException if the cap is negative
   */
  public RuntimeOptions withHistoryBytesMax(long bytes) {
    return with(draft -> draft.historyBytesMax = bytes);
  }

  /**
   * {@return these options with other limits for reports of trouble}
   *
   * @param limits the new limits
   */
  public RuntimeOptions withHealth(HealthOptions limits) {
    return with(draft -> draft.health = limits);
  }

  /**
   * {@return these options with a socket for operators; see {@link #operatorSocket}} Add {@code
   * dev.holdfast:holdfast-operator} to the application. Opening the runtime fails with {@link
   * dev.holdfast.errors.DataDirectoryException} without it, or if the system has no such sockets.
   */
  public RuntimeOptions withOperatorSocket() {
    return with(draft -> draft.operatorSocket = true);
  }

  /**
   * {@return these options with an archive} Add {@code dev.holdfast:holdfast-archive} to the
   * application; without it, the runtime does not open.
   *
   * @param options where the journal is archived, and how
   */
  public RuntimeOptions withArchive(ArchiveOptions options) {
    return with(draft -> draft.archive = options);
  }

  /**
   * {@return these options with another bound on the journal that is kept for consumers of events}
   *
   * @param bytes the new bound
   * @throws IllegalArgumentException if the bound is negative
   */
  public RuntimeOptions withOutboxBytesMax(long bytes) {
    return with(draft -> draft.outboxBytesMax = bytes);
  }

  /**
   * Returns these options with or without the rules of a cluster, on one machine: what works with
   * them works in a cluster of any number of shards. Meant for tests, where {@code @HoldfastTest}
   * has it by default.
   *
   * <p>Objects with different {@linkplain ObjectId#slot slots} count as objects of different shards
   * then. {@link ObjectNamespace#idFromName(String, ObjectId)} gives an id with the slot of
   * another. With the rules:
   *
   * <ul>
   *   <li>A call from an object to one of another slot leaves the caller as {@link
   *       ObjectContext#call} does: its turn ends, what it has written is durable before the other
   *       object is called, and what that has written before the reply is used. If the caller is
   *       reset later in this call, the outcome of its writes is unknown.
   *   <li>An asynchronous call from an object to one of another slot, and {@link
   *       ObjectNamespace#list} in an object, end its turn too.
   *   <li>{@link dev.holdfast.recovery.ObjectRecovery#fork} to an id of another slot throws {@link
   *       dev.holdfast.errors.MisuseException} with {@code ANOTHER_SHARD}.
   *   <li>{@link dev.holdfast.recovery.ObjectRecovery} and {@link NamespaceAlarms}, used in an
   *       object, throw {@link dev.holdfast.errors.MisuseException} with {@code INSIDE_OBJECT}, as
   *       {@link ObjectAdmin} does anyway.
   *   <li>A turn changes at most 56 MiB, with what is needed to undo it. A longer one is reset with
   *       {@link dev.holdfast.errors.CommitRefusedException}.
   * </ul>
   *
   * <p>Without effect in a cluster, which has the rules by its real shards.
   *
   * @param wanted whether the rules apply
   * @return the options
   */
  public RuntimeOptions withShardRules(boolean wanted) {
    return with(draft -> draft.shardRules = wanted);
  }

  private RuntimeOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options that are being changed. */
  private static final class Draft {
    private Duration turnWarning;
    private Duration closeTimeout;
    private int openDatabasesMax;
    private long valueCacheBytesMax;
    private long rocksDbMemoryBytesMax;
    private long historyBytesMax;
    private HealthOptions health;
    private boolean operatorSocket;
    private @Nullable ArchiveOptions archive;
    private long outboxBytesMax;
    private boolean shardRules;

    Draft(RuntimeOptions options) {
      turnWarning = options.turnWarning;
      closeTimeout = options.closeTimeout;
      openDatabasesMax = options.openDatabasesMax;
      valueCacheBytesMax = options.valueCacheBytesMax;
      rocksDbMemoryBytesMax = options.rocksDbMemoryBytesMax;
      historyBytesMax = options.historyBytesMax;
      health = options.health;
      operatorSocket = options.operatorSocket;
      archive = options.archive;
      outboxBytesMax = options.outboxBytesMax;
      shardRules = options.shardRules;
    }

    RuntimeOptions options() {
      return new RuntimeOptions(
          turnWarning,
          closeTimeout,
          openDatabasesMax,
          valueCacheBytesMax,
          rocksDbMemoryBytesMax,
          historyBytesMax,
          health,
          operatorSocket,
          archive,
          outboxBytesMax,
          shardRules);
    }
  }
}
