package dev.holdfast.spi;

/**
 * Reads the durable records of a journal from front to back, a part at a time, and knows where the
 * last part ended. Confined to one thread at a time.
 */
@FunctionalInterface
public interface JournalReader {

  /**
   * Passes records to a visitor, in order: those of at least one group, if it is durable.
   *
   * @param position where to begin
   * @param bytesMax the size beyond which no further group is read
   * @param wanted which records the visitor receives
   * @param visitor receives them
   * @return the position to continue at; the given one if nothing could be read: the record is not
   *     durable yet, or no longer kept, see {@link JournalHistory#oldestPosition}
   * @throws dev.holdfast.errors.DataDirectoryException if a file cannot be read; the visitor may
   *     have received records, which are read again
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is damaged; the visitor may
   *     have received records, none of them damaged
   */
  long read(long position, int bytesMax, RecoveryLog.Selection wanted, RecordVisitor visitor);
}
