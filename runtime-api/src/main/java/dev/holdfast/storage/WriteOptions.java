package dev.holdfast.storage;

/**
 * Options of writes. Immutable.
 *
 * @param allowUnconfirmed lets replies leave the object before this write is durable. If the write
 *     fails then, the object is reset nevertheless, and {@link dev.holdfast.ObjectRuntime#close}
 *     reports the loss
 * @param noCache a hint that the key is not used again soon: it leaves the cache after the write
 */
public record WriteOptions(boolean allowUnconfirmed, boolean noCache) {

  /** Holds replies for the write and uses the cache. */
  public static final WriteOptions DEFAULT = new WriteOptions(false, false);

  /** {@return these options without holding replies for the write} */
  public WriteOptions unconfirmed() {
    return new WriteOptions(true, noCache);
  }

  /** {@return these options without the cache} */
  public WriteOptions uncached() {
    return new WriteOptions(allowUnconfirmed, true);
  }
}
