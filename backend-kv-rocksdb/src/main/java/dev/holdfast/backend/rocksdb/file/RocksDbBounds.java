package dev.holdfast.backend.rocksdb.file;

/** The bounds of this backend: memory in use at once, and work per step. */
public final class RocksDbBounds {

  /** Bytes applied by one native call. */
  public static final long APPLIED_GROUP_BYTES = 1 << 20;

  /** Durable bytes that start a run of the applier. */
  public static final long APPLIER_RUN_BYTES = 256 << 10;

  /**
   * Range deletions that are allowed before the write buffers are flushed: they make reads slower.
   */
  public static final int CLEARS_MAX = 100;

  /** Records of other views that are passed over before they cause a flush. */
  public static final long PASSED_RECORDS_MAX = 4_096;

  /**
   * Interval between checks whether RocksDB has recovered from a full disk, which it does by
   * itself.
   */
  public static final long RETRY_NANOS = 1_000_000_000;

  /** Bytes redone by one native call. */
  public static final long REDO_GROUP_BYTES = 1 << 20;

  /** Number of pairs up to which deleteAll deletes each pair: range deletions make reads slower. */
  public static final int LISTED_PAIRS_MAX = 256;

  /** The same in bytes. */
  public static final int LISTED_BYTES_MAX = 64 << 10;

  /** Approximate bytes of an undo in memory at once. */
  public static final int UNDO_PART_BYTES = 1 << 20;

  /** Bytes of a restore in memory at once. */
  public static final int RESTORE_PART_BYTES = 1 << 20;

  /** The write buffer of the database that pairs are spilled into. */
  public static final long SPILL_BUFFER_BYTES = 4 << 20;

  /** Bytes of an earlier state in memory. */
  public static final long PAST_BYTES_MAX = 8 << 20;

  /**
   * Bytes of a range that are read ahead: more would evict from the block cache what was just read.
   */
  public static final long PREFETCH_BYTES_MAX = 8 << 20;

  /** Maximum number of pairs in one part of a scan. */
  public static final int SCAN_REST_PAIRS_MAX = 1_024;

  /** The same in bytes. */
  public static final int SCAN_REST_BYTES_MAX = 256 << 10;

  /** Number of values that a turn remembers: more would be a cache, and the engine has one. */
  public static final int KNOWN_VALUES_MAX = 128;

  /** Larger values are copied by native code: for them the array is not the main cost. */
  public static final int COPY_BUFFER_BYTES_MAX = 16 << 10;

  /** Maximum length of the file that names the manifest. */
  public static final int CURRENT_BYTES_MAX = 64;

  /** Maximum initial capacity of a list: a part may ask for many pairs where few exist. */
  public static final int LIST_CAPACITY_MAX = 64;

  /** Maximum size of a log file of RocksDB. */
  public static final long LOG_FILE_BYTES_MAX = 1 << 20;

  /** Size of the MANIFEST, or of its first record, after which RocksDB begins another one. */
  public static final long MANIFEST_BYTES_MAX = 4 << 10;

  /** Flushes after which RocksDB must have begun another MANIFEST: each adds 100 bytes or more. */
  public static final int MANIFEST_FLUSHES_MAX = 200;

  private RocksDbBounds() {}
}
