package dev.holdfast.spi;

/** Receives journal records in the order of their positions. */
@FunctionalInterface
public interface RecordVisitor {

  /**
   * Receives one record. Its payload is valid only until this returns.
   *
   * @param record the record
   */
  void visit(JournalRecord record);
}
