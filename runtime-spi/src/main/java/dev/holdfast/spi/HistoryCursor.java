package dev.holdfast.spi;

import dev.holdfast.spi.JournalRecord.ChainLink;

/**
 * Iterates over the records of one object, newest first. {@link #next} reads an index only; {@link
 * #read} reads the record itself. Confined to one thread.
 */
public interface HistoryCursor extends AutoCloseable {

  /**
   * {@return whether there is an older record, and moves to it}
   *
   * @throws dev.holdfast.errors.DataDirectoryException if the index cannot be read
   */
  boolean next();

  /** {@return the position of the current record} */
  long position();

  /**
   * {@return when the current record was appended, by the clock at that time; see {@link
   * JournalRecord}}
   */
  long wallMillis();

  /** {@return the kind of the current record} */
  RecordKind kind();

  /** {@return the view that wrote the current record} */
  int viewId();

  /**
   * {@return the place of the current record among the records of its object}
   *
   * @throws IllegalStateException if it changes no object
   */
  ChainLink link();

  /** {@return the length of the current record's payload} */
  int payloadBytes();

  /**
   * Reads the current record; its payload is valid until the next call of this cursor.
   *
   * @return the record
   * @throws java.util.NoSuchElementException if retention has dropped it since {@link #next}; see
   *     {@link JournalView#historyFloor}
   * @throws dev.holdfast.errors.JournalCorruptException if it is damaged
   * @throws dev.holdfast.errors.DataDirectoryException if it cannot be read
   */
  JournalRecord read();

  /** Frees the files. Closing twice has no effect. */
  @Override
  void close();
}
