package dev.holdfast.storage;

/**
 * Options of writes. Immutable.
 *
 * @param allowUnconfirmed replies may leave the object before this write is durable; if the write
 *     then fails the object is reset all the same, and {@link dev.holdfast.ObjectRuntime#close}
 *     says that something answered was lost
 * @param noCache a hint that the key is not used again soon: it leaves the cache after it was
 *     written
 */
public record WriteOptions(boolean allowUnconfirmed, boolean noCache) {

  /** Replies wait for the write, the cache is used. */
  public static final WriteOptions DEFAULT = new WriteOptions(false, false);

  /** {@return these options with replies not held for the write} */
  public WriteOptions unconfirmed() {
    return new WriteOptions(true, noCache);
  }

  /** {@return these options with the cache left alone} */
  public WriteOptions uncached() {
    return new WriteOptions(allowUnconfirmed, true);
  }
}
