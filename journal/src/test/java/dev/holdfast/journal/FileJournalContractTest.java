package dev.holdfast.journal;

import dev.holdfast.TimeSource;
import dev.holdfast.contract.JournalContract;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecoveryLog;
import java.nio.file.Path;

/** The journal in files keeps the contract of a journal. */
final class FileJournalContractTest extends JournalContract {

  @Override
  protected Opened open(Path place, TimeSource time) {
    FileJournal journal = FileJournal.open(place, time, Journals.SMALL);
    return new Opened() {
      @Override
      public Journal journal() {
        return journal;
      }

      @Override
      public RecoveryLog recovered() {
        return journal.recoveryLog();
      }

      @Override
      public void close() {
        journal.close();
      }
    };
  }
}
