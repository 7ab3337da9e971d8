package dev.holdfast.spi;

import dev.holdfast.spi.JournalRecord.ChainLink;

/** The kind of a journal record. */
public enum RecordKind {

  /**
   * Everything the object wrote in one turn: redo and undo, in the format of the view that wrote
   * it.
   */
  BATCH,

  /**
   * A record that changes no object. Of a backend: it has made the object durable in its own files
   * up to a position; the payload begins with that position, eight bytes, big-endian, and batches
   * at or before it need no redo. Of the view {@link Journal#EVENTS_VIEW_ID}: events, or the place
   * of a consumer.
   */
  CHECKPOINT,

  /**
   * A batch that restores the object to an earlier state, atomically and with its own undo. It
   * completes the requested restore: a view that keeps such requests drops the one of this object.
   */
  RESTORE,

  /** A batch whose view keeps no undo: no state before it can be restored. */
  BATCH_WITHOUT_UNDO,

  /**
   * A part of the batch that follows, which would be too large as one record: a part of its undo,
   * and for a restore or fork also of its redo. Has no meaning without that batch.
   */
  UNDO_PART,

  /**
   * A record about an object that does not change it, of a view without files: a requested restore,
   * for example. Unlike a checkpoint it says nothing about the files of one machine.
   */
  NOTE;

  /** The view of records that belong to none: records of purged objects, for example. */
  public static final int VOID_VIEW = 254;

  /** {@return whether the record changes the object, and must be redone after a crash} */
  public boolean isBatch() {
    return switch (this) {
      case BATCH, RESTORE, BATCH_WITHOUT_UNDO -> true;
      case CHECKPOINT, UNDO_PART, NOTE -> false;
    };
  }

  /**
   * {@return whether the record is a batch or a part of one, and so has a {@link ChainLink}: no
   * such record of an object may be missing where its past is read}
   */
  public boolean isChained() {
    return isBatch() || this == UNDO_PART;
  }
}
