package dev.holdfast.spi;

import dev.holdfast.ObjectId;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One record as read back from the journal.
 *
 * @param position its place in the total order of all records of the runtime; the first is 1
 * @param wallMillis when it was appended, by the wall clock at that time, milliseconds since 1970;
 *     may be less than the time of the record before it
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

  /** {@return the record with a copy of its payload, which stays valid} */
  public JournalRecord copied() {
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    return withPayload(copy.asReadOnlyBuffer());
  }

  /**
   * {@return the record with another payload}
   *
   * @param other the payload, read-only
   */
  public JournalRecord withPayload(ByteBuffer other) {
    return new JournalRecord(position, wallMillis, kind, viewId, key, link, other);
  }

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

  /**
   * What a record that changes an object states about the records of the object before it, so that
   * a reader can prove that none is missing: each batch names the batch before it, and how many
   * parts it has.
   *
   * @param previous the position of the object's last batch before the record; {@link
   *     Journal#START} if it had none. The parts of a batch have the same as the batch
   * @param parts for a batch: how many records of kind {@link RecordKind#UNDO_PART} belong to it,
   *     all of them before it and after every other record that changes the object; for such a
   *     part: its number, the first has 1
   */
  public record ChainLink(long previous, int parts) {

    /** The link of the first record of an object, which is a batch of one record. */
    public static final ChainLink FIRST = new ChainLink(Journal.START, 0);

    /** Checks the numbers. */
    public ChainLink {
      if (previous < Journal.START || parts < 0) {
        throw new IllegalArgumentException("previous " + previous + ", parts " + parts);
      }
    }

    /**
     * {@return the link of a batch without parts}
     *
     * @param previous the position of the object's last batch before it; {@link Journal#START} if
     *     it had none
     */
    public static ChainLink after(long previous) {
      return previous == Journal.START ? FIRST : new ChainLink(previous, 0);
    }
  }
}
