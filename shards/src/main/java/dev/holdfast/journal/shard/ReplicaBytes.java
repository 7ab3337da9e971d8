package dev.holdfast.journal.shard;

/**
 * About how many bytes of records a copy of a shard has applied, has made durable, and has read in
 * rounds. Guarded by the lock of {@link ReplicaProgress}, but for {@link #behind}, which any thread
 * may read.
 */
final class ReplicaBytes {

  private long unsaved;
  private long applied;

  /** How much was applied when it was last made durable, and how much of that rounds have read. */
  private long saved;

  private long read;

  private volatile long behind;

  void apply(long bytes) {
    unsaved += bytes;
    applied += bytes;
  }

  /** Counts durable records that were not applied one by one. */
  void count(long bytes) {
    applied += bytes;
    save(applied);
  }

  long applied() {
    return applied;
  }

  long saved() {
    return saved;
  }

  /**
   * {@return how much is applied, and durable here, and read by no round since the replica was
   * opened}
   */
  long behind() {
    return behind;
  }

  /** {@return whether so much was applied since the last save that the next one is due} */
  boolean isSaveDue(long unsavedMax) {
    if (unsaved < unsavedMax) {
      return false;
    }
    unsaved = 0;
    return true;
  }

  /**
   * @param bytes how much was applied when the save began
   */
  void save(long bytes) {
    saved = bytes;
    behind = saved - read;
  }

  /**
   * @param allBytes how much was applied if the rounds have read all of it; otherwise 0
   */
  void readInRounds(long allBytes, long readBytes) {
    read = Math.max(allBytes, Math.min(saved, read + readBytes));
    behind = saved - read;
  }

  /** What was fetched is durable. */
  void fetched() {
    unsaved = 0;
  }

  /** The files of the objects were fetched: no round has read more than they have. */
  void fetchedWithFiles() {
    applied = 0;
    read = 0;
  }
}
