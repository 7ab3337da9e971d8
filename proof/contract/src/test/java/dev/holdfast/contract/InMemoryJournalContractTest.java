package dev.holdfast.contract;

import dev.holdfast.TimeSource;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The journal in memory keeps the contract of a journal. */
final class InMemoryJournalContractTest extends JournalContract {

  private @Nullable InMemoryJournal last;

  @Override
  protected Opened open(Path place, TimeSource time) {
    InMemoryJournal before = last;
    InMemoryJournal journal =
        before == null
            ? new InMemoryJournal(InMemoryJournal.Durability.ON_WAIT, time)
            : before.prefix(before.durablePosition());
    last = journal;
    return new Opened() {
      @Override
      public Journal journal() {
        return journal;
      }

      @Override
      public RecoveryLog recovered() {
        return journal;
      }

      @Override
      public void close() {
        journal.close();
      }
    };
  }
}
