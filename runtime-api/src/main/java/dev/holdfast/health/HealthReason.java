package dev.holdfast.health;

/**
 * Why a runtime is not {@link HealthState#UP}. Immutable.
 *
 * @param code a stable name, one of the constants here; later versions add more
 * @param state what the reason alone makes of the runtime
 * @param text what is wrong, with numbers, and what to do; for people
 */
public record HealthReason(String code, HealthState state, String text) {

  /** The runtime is not open yet, is being closed, or was closed. */
  public static final String RUNTIME_CLOSED = "runtime-closed";

  /** The journal has failed. */
  public static final String JOURNAL_FAILED = "journal-failed";

  /** An unexpected error struck in the engine's own work. */
  public static final String ENGINE_FAILED = "engine-failed";

  /** The disk has made nothing durable for some time, though writes wait. */
  public static final String JOURNAL_STALLED = "journal-stalled";

  /** The disk of the data directory has little room left. */
  public static final String DISK_NEARLY_FULL = "disk-nearly-full";

  /** The copy of a shard on a node of a cluster has stopped; the other nodes go on. */
  public static final String SHARD_STOPPED = "shard-stopped";

  /** A node of a cluster cannot open the objects of a shard, and passes it on to others. */
  public static final String SHARD_NOT_OPENED = "shard-not-opened";

  /** The copy of a shard on a node of a cluster fetches from another one what it lacks. */
  public static final String SHARD_CATCHING_UP = "shard-catching-up";

  /** The log of a shard does not reach a copy, though its node is connected. */
  public static final String SHARD_NOT_FED = "shard-not-fed";

  /** A shard holds far more than the others that its node owns. */
  public static final String SHARD_LARGE = "shard-large";

  /** A shard does far more than the others that its node owns. */
  public static final String SHARD_HOT = "shard-hot";

  /**
   * A shard of a cluster has no owner that the node knows: for longer than a failover, or since the
   * node was opened.
   */
  public static final String SHARD_WITHOUT_OWNER = "shard-without-owner";

  /** A node of a cluster reaches fewer than a majority of the members. */
  public static final String NO_MAJORITY = "no-majority";

  /** A node of a cluster does not reach a member; a majority may be there all the same. */
  public static final String MEMBER_AWAY = "member-away";

  /** The certificate of a node of a cluster expires soon, or changed files cannot be used. */
  public static final String CERTIFICATE = "certificate";

  /** Two nodes of a cluster refuse each other: the message says which, and why. */
  public static final String NODE_REFUSED = "node-refused";

  /** No file can be created in the data directory. */
  public static final String DIRECTORY_NOT_WRITABLE = "directory-not-writable";

  /** Alarms have been due for some time and were not started. */
  public static final String ALARMS_LATE = "alarms-late";

  /** Alarms were given up after their last retry, and wait for an operator. */
  public static final String ALARMS_ABANDONED = "alarms-abandoned";

  /** A call, an alarm or a timer of an object has run for very long. */
  public static final String EXECUTION_LONG = "execution-long";

  /** The saves of objects' files are far behind. */
  public static final String SAVE_LATE = "save-late";

  /** Objects are refused, because their files are damaged or their storage has failed. */
  public static final String OBJECTS_REFUSED = "objects-refused";

  /**
   * The cap of the history drops states inside the recovery window: now, or in a day at the present
   * rate.
   */
  public static final String HISTORY_SHORT = "history-short";

  /**
   * A node of a cluster keeps history beyond the window or the cap, because a member that is away
   * may lack it.
   */
  public static final String HISTORY_HELD = "history-held";

  /** A purge of an archive waits; or in a cluster, one of a history, for nodes of the shard. */
  public static final String PURGE_WAITS = "purge-waits";

  /** Records wait too long to be archived: the store fails, or is too slow. */
  public static final String ARCHIVE_LATE = "archive-late";

  /**
   * Another runtime archives to the same place, or the place has the archive of another journal.
   */
  public static final String ARCHIVE_STOPPED = "archive-stopped";

  /** A consumer of events has not handled some that are no longer kept. */
  public static final String CONSUMER_CUT_OFF = "consumer-cut-off";

  /** The journal has dropped records that were not archived. */
  public static final String ARCHIVE_GAP = "archive-gap";

  /** More is not archived than the journal keeps for the archive: it may drop such records. */
  public static final String ARCHIVE_BOUND = "archive-bound";

  /** After a gap, records are archived again, and the base image that they need is not yet. */
  public static final String ARCHIVE_RESTARTED = "archive-restarted";
}
