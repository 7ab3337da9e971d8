package dev.holdfast.spi;

import dev.holdfast.health.HealthReason;
import dev.holdfast.statistics.ArchiveStatistics;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The archive of a journal, as the engine uses it. Thread-safe. */
public interface JournalArchive extends AutoCloseable {

  /** No archive. */
  JournalArchive NONE =
      new JournalArchive() {
        @Override
        public ArchiveStatistics statistics() {
          return ArchiveStatistics.NONE;
        }

        @Override
        public List<HealthReason> troubles() {
          return List.of();
        }

        @Override
        public CompletableFuture<Long> purge() {
          return CompletableFuture.failedFuture(
              new IllegalStateException(
                  "The runtime has no archive. Open it with RuntimeOptions.withArchive"));
        }

        @Override
        public void close() {}
      };

  /** {@return its numbers; takes no lock and touches no file} */
  ArchiveStatistics statistics();

  /** {@return what an operator must know; takes no lock and touches no file} */
  List<HealthReason> troubles();

  /**
   * Deletes every moment before now from the archive, as {@link
   * dev.holdfast.ObjectAdmin#purgeArchive} states.
   *
   * @return completes with the first position that is left
   */
  CompletableFuture<Long> purge();

  /**
   * Archives what is durable, if the store answers in time, and ends. Called after the last call of
   * an object, before the backends and the journal are closed.
   */
  @Override
  void close();
}
