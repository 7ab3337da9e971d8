package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class StorageThreadsTest {

  @Test
  void threadsAreThereBeforeTheyAreNeeded() {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (StorageThreads threads = new StorageThreads(3)) {
      Set<Thread> begun = new HashSet<>(Thread.getAllStackTraces().keySet());
      begun.removeAll(before);

      assertThat(begun.stream().filter(t -> t.getName().startsWith("holdfast-storage-")))
          .hasSize(3);
      assertThat(threads).isNotNull();
    }
  }

  @Test
  void workThatIsDueIsNotAskedForTwice() throws Exception {
    AtomicBoolean due = new AtomicBoolean();
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch busy = new CountDownLatch(1);
    try (StorageThreads threads = new StorageThreads(1)) {
      threads.execute(
          () -> {
            try {
              busy.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
      threads.execute(due, runs::incrementAndGet);
      threads.execute(due, runs::incrementAndGet);
      busy.countDown();
    }

    assertThat(runs).hasValue(1);
    assertThat(due).isTrue();
  }

  @Test
  void workThatCouldNotBeHandedOverIsNotTakenForDue() {
    AtomicBoolean due = new AtomicBoolean();
    StorageThreads threads = new StorageThreads(1);
    threads.close();

    assertThatThrownBy(() -> threads.execute(due, () -> {}))
        .isInstanceOf(RejectedExecutionException.class);
    assertThat(due).isFalse();
  }
}
