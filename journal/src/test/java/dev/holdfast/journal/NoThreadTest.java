package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.VirtualClock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The system has no thread left when a helper of the journal is first needed, and has one later.
 */
final class NoThreadTest {

  @TempDir private Path directory;

  /** Fails as Thread.start does: from within execute(). */
  private static final class Failing extends ThreadPoolExecutor {
    volatile boolean fail = true;

    Failing() {
      super(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (ThreadFactory) Thread::new);
    }

    @Override
    public void execute(Runnable task) {
      if (fail) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      super.execute(task);
    }
  }

  private static long append(FileJournal journal) {
    ObjectKey key = new ObjectKey("things", ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null));
    return journal.append(
        RecordKind.BATCH, 1, key, ChainLink.FIRST, ByteBuffer.wrap(new byte[3_000]));
  }

  @Test
  void journalGoesOnAfterTheThreadOfReviewsCouldNotBeMade() throws Exception {
    FileJournal journal = FileJournal.open(directory, new VirtualClock(), Journals.SMALL);
    journal.start(List.of());
    Journals.reviews(journal).shutdown();
    Failing failing = new Failing();
    Object checkpoints = Journals.field(FileJournal.class, "checkpoints").get(journal);
    Journals.field(Checkpoints.class, "thread").set(checkpoints, failing);
    CompletableFuture<Void> appended =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 40; i++) {
                journal.awaitDurable(append(journal));
                failing.fail = i < 20;
              }
            },
            Thread::startVirtualThread);
    appended.get();
    journal.close();
  }

  @Test
  void everyThreadIsThereBeforeItIsNeeded() {
    Set<Thread> before = threads();
    try (FileJournal journal = FileJournal.open(directory, new VirtualClock(), Journals.SMALL)) {
      journal.start(List.of());
      Set<Thread> begun = threads();
      begun.removeAll(before);
      assertThat(begun)
          .extracting(Thread::getName)
          .contains(
              "holdfast-journal-flush", "holdfast-journal-notify", "holdfast-journal-checkpoint");
    }
  }

  private static Set<Thread> threads() {
    return new HashSet<>(Thread.getAllStackTraces().keySet());
  }
}
