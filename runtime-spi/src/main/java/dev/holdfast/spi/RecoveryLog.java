package dev.holdfast.spi;

/**
 * The durable records that views may have to redo after the runtime was opened: all records from
 * the low-water mark on. Can be read several times while views recover.
 */
public interface RecoveryLog {

  /**
   * Selects the records that a reader wants. Always gives the same answer for the same arguments:
   * it is not asked for each record, and in no order.
   */
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
   * Passes every record, in order, to a visitor.
   *
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  void forEach(RecordVisitor visitor);

  /**
   * Passes the selected records, in order, to a visitor. A log may have kept them in memory since
   * it was checked, so a view should select no more than it needs.
   *
   * @param wanted which records
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  default void forEach(Selection wanted, RecordVisitor visitor) {
    forEachFrom(firstPosition(), wanted, visitor);
  }

  /** {@return the low-water mark: the first position that {@link #forEach} passes on} */
  default long firstPosition() {
    return 1;
  }

  /**
   * {@return the position from which on every record is kept: {@link #firstPosition}, or an earlier
   * one that is kept as history}
   */
  default long oldestPosition() {
    return firstPosition();
  }

  /**
   * Passes every record from a position on, in order, to a visitor, including records that recovery
   * does not need.
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
   * Passes the selected records from a position on, in order, to a visitor, including records that
   * recovery does not need.
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
   * Passes checkpoints, in order, that this log leaves out because another node has written them,
   * or this one, which the log cannot tell any more. A view that knows a checkpoint of its files by
   * the content finds it here.
   *
   * @param wanted which records
   * @param visitor what to do with each
   * @throws dev.holdfast.errors.JournalCorruptException if a record cannot be read
   */
  default void forEachOfOthers(Selection wanted, RecordVisitor visitor) {}

  /**
   * {@return the number that the journal got when it was created, unique to it; it stays the same
   * once a record is durable}
   */
  default long journalId() {
    return 0;
  }
}
