package dev.holdfast.spi;

import dev.holdfast.ObjectId;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One record as read back from the journal.
 *
 * @param position its place in the total order of all records of the runtime; the first is 1
 * @param wallMillis when it was appended, by the wall clock at that time, milliseconds since 1970;
 *     may be less than that of the record before it
 * @param kind what it says
 * @param viewId the {@link JournalView#viewId} that wrote it
 * @param key the object it is about
 * @param link its place among the records of the object; null if it changes no object
 * @param payload the view's bytes, read-only; valid only until the visitor returns
 */
public record JournalRecord(
    long position,
    long wallMillis,
    RecordKind kind,
    int viewId,
    ObjectKey key,
    @Nullable ChainLink link,
    ByteBuffer payload) {

  /**
   * {@return whether this is what a purge, or damage that no checksum shows, has left of a record:
   * its length in zeros} Not even its object is known.
   */
  public boolean isErased() {
    if (viewId != RecordKind.VOID_VIEW
        || !payload.hasRemaining()
        || !key.namespace().isEmpty()
        || !key.id().equals(NO_OBJECT)) {
      return false;
    }
    for (int at = payload.position(); at < payload.limit(); at++) {
      if (payload.get(at) != 0) {
        return false;
      }
    }
    return true;
  }

  private static final ObjectId NO_OBJECT = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);

  /**
   * {@return its place among the records of the object}
   *
   * @throws IllegalStateException if it changes no object
   */
  public ChainLink requireLink() {
    if (link == null) {
      throw new IllegalStateException("Record " + position + " of kind " + kind + " has no link.");
    }
    return link;
  }
}
