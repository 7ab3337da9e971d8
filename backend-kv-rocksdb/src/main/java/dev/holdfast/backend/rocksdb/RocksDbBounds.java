package dev.holdfast.backend.rocksdb;

/** The bounds of this backend: what is in memory at once, and how much is done at once. */
final class RocksDbBounds {

  /** How much is applied by one native call. */
  static final long APPLIED_GROUP_BYTES = 1 << 20;

  /** How much durable data is worth a run of the applier. */
  static final long APPLIER_RUN_BYTES = 256 << 10;

  /**
   * How many range deletions there may be before the write buffers are flushed: they make reads
   * slower.
   */
  static final int CLEARS_MAX = 100;

  /** How many records of other views are passed over before a flush of their own. */
  static final long PASSED_RECORDS_MAX = 4_096;

  /** RocksDB recovers from a full disk by itself; how often it is asked whether it has. */
  static final long RETRY_NANOS = 1_000_000_000;

  /** How much is redone by one native call. */
  static final long REDO_GROUP_BYTES = 1 << 20;

  /** Up to how many pairs deleteAll is one deletion each: range deletions make reads slower. */
  static final int LISTED_PAIRS_MAX = 256;

  /** The same in bytes. */
  static final int LISTED_BYTES_MAX = 64 << 10;

  /** About how much of an undo is in memory at once. */
  static final int UNDO_PART_BYTES = 1 << 20;

  /** How much of a restore is in memory at once. */
  static final int RESTORE_PART_BYTES = 1 << 20;

  /** The write buffer of the database that pairs are spilled into. */
  static final long SPILL_BUFFER_BYTES = 4 << 20;

  /** How much of an earlier state is in memory. */
  static final long PAST_BYTES_MAX = 8 << 20;

  /** How much a range is read ahead: more would push out of the block cache what was just read. */
  static final long PREFETCH_BYTES_MAX = 8 << 20;

  /** How many pairs of a scan one part has at most. */
  static final int SCAN_REST_PAIRS_MAX = 1_024;

  /** The same in bytes. */
  static final int SCAN_REST_BYTES_MAX = 256 << 10;

  /** How many values a turn remembers: more would be a cache, and the engine has one. */
  static final int KNOWN_VALUES_MAX = 128;

  /** What is larger is copied by native code: there the array is not what costs. */
  static final int COPY_BUFFER_BYTES_MAX = 16 << 10;

  /** How long the file is at most that names the manifest. */
  static final int CURRENT_BYTES_MAX = 64;

  /** The first capacity of a list: a part may ask for many pairs where there are few. */
  static final int LIST_CAPACITY_MAX = 64;

  /** How large a log file of RocksDB becomes. */
  static final long LOG_FILE_BYTES_MAX = 1 << 20;

  private RocksDbBounds() {}
}
