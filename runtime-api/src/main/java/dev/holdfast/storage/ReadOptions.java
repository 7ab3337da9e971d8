package dev.holdfast.storage;

/**
 * Options of reads. They never change which keys are read. Immutable.
 *
 * @param allowConcurrency permits other events of the object to run while the read waits for the
 *     disk; by default they are held. If the read waits, its turn ends, the writes so far are one
 *     batch, and the result is the state after these events. Only RocksDB objects wait, and only
 *     for values that are in no cache; a read in a transaction keeps its turn, and so does one of
 *     SQLite
 * @param noCache a hint that the key is not used again soon: it does not enter the cache
 */
public record ReadOptions(boolean allowConcurrency, boolean noCache) {

  /** Holds events and uses the cache. */
  public static final ReadOptions DEFAULT = new ReadOptions(false, false);

  /** {@return these options with other events permitted during the read} */
  public ReadOptions concurrent() {
    return new ReadOptions(true, noCache);
  }

  /** {@return these options without the cache} */
  public ReadOptions uncached() {
    return new ReadOptions(allowConcurrency, true);
  }
}
