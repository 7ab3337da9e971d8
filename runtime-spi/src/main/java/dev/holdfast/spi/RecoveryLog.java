package dev.holdfast.spi;

/**
 * The durable records that views may have to redo after the runtime was opened: all from the
 * low-water mark on. Can be read several times while views recover.
 */
public interface RecoveryLog {

  /**
   * Hands every record, in order, to a visitor.
   *
   * @param visitor what to do with each
   * @throws dev.holdfast.JournalCorruptException if a record cannot be read
   */
  void forEach(RecordVisitor visitor);
}
