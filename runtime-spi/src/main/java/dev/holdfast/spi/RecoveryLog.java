package dev.holdfast.spi;

/**
 * The durable records that views may have to redo after the runtime was opened: all from the
 * low-water mark on. Can be read several times while views recover.
 */
public interface RecoveryLog {

  /** Says which records a reader wants. */
  @FunctionalInterface
  interface Selection {

    /**
     * {@return whether a record is wanted}
     *
     * @param viewId the view that wrote it
     * @param kind what it says
     */
    boolean includes(int viewId, RecordKind kind);
  }

  /**
   * Hands every record, in order, to a visitor.
   *
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  void forEach(RecordVisitor visitor);

  /**
   * Hands the records that a reader wants, in order, to a visitor. A log may have kept them in
   * memory since it was checked, so a view should ask for no more than it needs.
   *
   * @param wanted which records
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  default void forEach(Selection wanted, RecordVisitor visitor) {
    forEachFrom(firstPosition(), wanted, visitor);
  }

  /** {@return the low-water mark: the first position that {@link #forEach} hands over} */
  default long firstPosition() {
    return 1;
  }

  /**
   * {@return the position from which on every record is kept: the first one, or an earlier one that
   * is kept as history}
   */
  default long oldestPosition() {
    return firstPosition();
  }

  /**
   * Hands every record from a position on, in order, to a visitor: also those that recovery does
   * not need.
   *
   * @param position where to begin; not before {@link #oldestPosition}
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  default void forEachFrom(long position, RecordVisitor visitor) {
    forEach(
        record -> {
          if (record.position() >= position) {
            visitor.visit(record);
          }
        });
  }

  /**
   * Hands the records that a reader wants from a position on, in order, to a visitor: also those
   * that recovery does not need.
   *
   * @param position where to begin; not before {@link #oldestPosition}
   * @param wanted which records
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  default void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    forEachFrom(
        position,
        record -> {
          if (wanted.includes(record.viewId(), record.kind())) {
            visitor.visit(record);
          }
        });
  }

  /**
   * {@return a number that the journal got when it was made, and no other has; it stays the same
   * once a record is durable}
   */
  default long journalId() {
    return 0;
  }
}
