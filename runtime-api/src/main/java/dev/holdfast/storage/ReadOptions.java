package dev.holdfast.storage;

/**
 * Options of reads. They never change what is read. Immutable.
 *
 * @param allowConcurrency a permission: other events of the object may be delivered while the read
 *     waits for the disk; by default they are held. No storage engine makes use of it yet: a read
 *     holds its turn
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
