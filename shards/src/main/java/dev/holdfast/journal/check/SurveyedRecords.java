package dev.holdfast.journal.check;

import dev.holdfast.spi.RecoveryLog;

/** All records that can be read of a journal that no process has open. */
public interface SurveyedRecords extends RecoveryLog {

  /** {@return reads all of them, from the first one on} */
  RecordCursor cursor();
}
