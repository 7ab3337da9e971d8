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
  CHECKPOINT
}
