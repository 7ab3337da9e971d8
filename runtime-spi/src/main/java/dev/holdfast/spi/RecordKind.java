package dev.holdfast.spi;

/** What a journal record says about its object. */
public enum RecordKind {

  /**
   * Everything the object wrote in one turn: redo and undo, in the form of the view that wrote it.
   */
  BATCH,

  /**
   * The view has made the object durable in its own files up to a position; the payload is that
   * position, eight bytes, big-endian. Batches at or before it need no redo.
   */
  CHECKPOINT,

  /**
   * A batch that brings the object back to an earlier state, all at once and with its own undo.
   * With it the restore that was asked for is done: a view that keeps such requests forgets the one
   * of this object.
   */
  RESTORE,

  /** A batch whose view keeps no undo: no state before it can be restored any more. */
  BATCH_WITHOUT_UNDO,

  /**
   * A part of the batch behind it, which alone would be too large: of its undo, and of a restore or
   * fork also of its redo. Says nothing without that batch.
   */
  UNDO_PART;

  /** {@return whether the record changes the object, and must be redone after a crash} */
  public boolean isBatch() {
    return switch (this) {
      case BATCH, RESTORE, BATCH_WITHOUT_UNDO -> true;
      case CHECKPOINT, UNDO_PART -> false;
    };
  }
}
