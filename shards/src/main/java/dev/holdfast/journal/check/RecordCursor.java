package dev.holdfast.journal.check;

import dev.holdfast.spi.JournalRecord;
import org.jspecify.annotations.Nullable;

/** Reads the records of a journal one by one. Confined to one thread. */
public interface RecordCursor extends AutoCloseable {

  /**
   * {@return the next record, whose payload stays as it is; null after the last one}
   *
   * @throws dev.holdfast.errors.DataDirectoryException if it cannot be read
   */
  @Nullable JournalRecord next();

  @Override
  void close();
}
