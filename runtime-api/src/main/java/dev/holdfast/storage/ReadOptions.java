package dev.holdfast.storage;

/**
 * Options of reads. They never change what is read. Immutable.
 *
 * @param allowConcurrency a permission: other events of the object may be delivered while the read
 *     waits for the disk; by default they are held. If the read does wait, its turn ends and what
 *     was written so far is one batch; what is returned is what these events have left. Only
 *     RocksDB objects wait, and only for what is in no cache; a read in a transaction holds its
 *     turn, and so does one of SQLite
 * @param noCache a hint that the key is not used again soon: it is not put into the cache
 */
public record ReadOptions(boolean allowConcurrency, boolean noCache) {

  /** Events are held, the cache is used. */
  public static final ReadOptions DEFAULT = new ReadOptions(false, false);

  /** {@return these options with events delivered during the read} */
  public ReadOptions concurrent() {
    return new ReadOptions(true, noCache);
  }

  /** {@return these options with the cache left alone} */
  public ReadOptions uncached() {
    return new ReadOptions(allowConcurrency, true);
  }
}
