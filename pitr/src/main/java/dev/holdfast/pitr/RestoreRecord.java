package dev.holdfast.pitr;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a journal record of this module; {@code docs/formats/recovery.md} has the layout.
 * Immutable.
 */
sealed interface RestoreRecord {

  /** The object is to be restored when it is next started. */
  record Requested(Bookmark target) implements RestoreRecord {}

  /** The request is withdrawn. */
  record Withdrawn() implements RestoreRecord {}

  /** A bookmark was made for the batch after a position, and the turn ended without a batch. */
  record NoBatch(long position) implements RestoreRecord {}

  /** The complete state of the object, so that earlier records need not be kept. */
  record Known(ObjectRestores restores) implements RestoreRecord {}

  /**
   * The history of the object up to a position is gone, and its records leave the journal.
   *
   * @param isDone whether they have left it
   */
  record Purged(long position, boolean isDone) implements RestoreRecord {}

  byte VERSION = 1;

  /** The length of a bookmark within a record. */
  int BOOKMARK_BYTES = 17;

  /** {@return the payload} */
  default ByteBuffer encode() {
    return switch (this) {
      case Requested(Bookmark target) -> put(start(1, BOOKMARK_BYTES), target).flip();
      case Withdrawn() -> start(2, 0).flip();
      case NoBatch(long position) -> start(3, Long.BYTES).putLong(position).flip();
      case Known(ObjectRestores restores) -> encode(restores);
      case Purged(long position, boolean isDone) ->
          start(5, Long.BYTES + 1).putLong(position).put((byte) (isDone ? 1 : 0)).flip();
    };
  }

  private static ByteBuffer start(int type, int bodyBytes) {
    return ByteBuffer.allocate(2 + bodyBytes).put(VERSION).put((byte) type);
  }

  private static ByteBuffer put(ByteBuffer target, Bookmark bookmark) {
    return target
        .putLong(bookmark.epoch())
        .putLong(bookmark.position())
        .put((byte) (bookmark.withNextBatch() ? 1 : 0));
  }

  private static ByteBuffer encode(ObjectRestores restores) {
    List<DoneRestore> done = restores.done();
    ByteBuffer target = start(4, 1 + 8 + BOOKMARK_BYTES + 4 + done.size() * (16 + BOOKMARK_BYTES));
    PendingRestore pending = restores.pending();
    target.put((byte) (pending == null ? 0 : 1)).putLong(pending == null ? 0 : pending.position());
    put(target, pending == null ? new Bookmark(0, 0, false) : pending.target());
    target.putInt(done.size());
    for (DoneRestore each : done) {
      put(target.putLong(each.position()).putLong(each.wallMillis()), each.target());
    }
    return target.flip();
  }

  /**
   * Reads a payload.
   *
   * @throws IllegalArgumentException if it is not a record of this version
   */
  static RestoreRecord decode(ByteBuffer payload) {
    ByteBuffer source = payload.duplicate();
    if (source.remaining() < 2 || source.get() != VERSION) {
      throw new IllegalArgumentException("not a record of version " + VERSION);
    }
    byte type = source.get();
    try {
      RestoreRecord record =
          switch (type) {
            case 1 -> new Requested(bookmark(source));
            case 2 -> new Withdrawn();
            case 3 -> new NoBatch(source.getLong());
            case 4 -> new Known(restores(source));
            case 5 -> new Purged(source.getLong(), source.get() != 0);
            default -> throw new IllegalArgumentException("unknown type " + type);
          };
      if (source.hasRemaining()) {
        throw new IllegalArgumentException(source.remaining() + " bytes after the record");
      }
      return record;
    } catch (java.nio.BufferUnderflowException e) {
      throw new IllegalArgumentException("ends early", e);
    }
  }

  private static Bookmark bookmark(ByteBuffer source) {
    return new Bookmark(source.getLong(), source.getLong(), source.get() != 0);
  }

  private static ObjectRestores restores(ByteBuffer source) {
    boolean isPending = source.get() != 0;
    long position = source.getLong();
    Bookmark target = bookmark(source);
    int count = source.getInt();
    if (count < 0 || count > source.remaining() / (16 + BOOKMARK_BYTES)) {
      throw new IllegalArgumentException(count + " restores in " + source.remaining() + " bytes");
    }
    List<DoneRestore> done = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      done.add(new DoneRestore(source.getLong(), source.getLong(), bookmark(source)));
    }
    @Nullable PendingRestore pending = isPending ? new PendingRestore(position, target) : null;
    return new ObjectRestores(pending, done);
  }
}
