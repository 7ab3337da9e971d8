package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.health.HealthReason;
import dev.holdfast.statistics.ArchiveStatistics.State;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an archive does with other runtimes and with a store that does not answer. */
final class ArchiverTest {

  private final ArchivedJournals place = new ArchivedJournals();

  @AfterEach
  void delete() throws IOException {
    place.close();
  }

  @Test
  void copyThatWentItsOwnWayContinuesWhereItLeft() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      opened.write("1");
      writer.run();
      opened.write("2");
      writer.run();
    }
    List<String> copied = place.restored("copy", new RestoreTarget.AtPosition(1));
    assertThat(copied).containsExactly("1");
    try (ArchivedJournals.Opened original = place.open("data")) {
      original.write("3 of the original");
      original.writer().run();
    }
    try (ArchivedJournals.Opened copy = place.open("copy")) {
      place.clock.advance(Duration.ofSeconds(1));
      copy.write("2 of the copy");
      copy.write("3 of the copy");
      ArchiveWriter writer = copy.writer();
      writer.run();
      assertThat(writer.statistics().generation()).isEqualTo(3);
    }
    assertThat(place.restored("latest", new RestoreTarget.Latest()))
        .containsExactly("1", "2 of the copy", "3 of the copy");
  }

  @Test
  void olderWriterStopsAndSaysWhichOneIsNewer() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter older = opened.writer();
      opened.write("1");
      older.run();
      ArchiveWriter newer = opened.writer();
      newer.run();
      opened.write("2");
      older.run();
      assertThat(older.state()).isEqualTo(State.STOPPED);
      assertThat(older.reason()).contains("generation 2", "a host", "2026-01-01T00:00:00Z");
      assertThat(older.position()).isEqualTo(1);
      newer.run();
      assertThat(newer.position()).isEqualTo(2);
    }
  }

  @Test
  void archiveOfAnotherJournalIsLeftAlone() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer().run();
    }
    try (ArchivedJournals.Opened other = place.open("other")) {
      other.write("not here");
      ArchiveWriter writer = other.writer();
      writer.run();
      assertThat(writer.state()).isEqualTo(State.STOPPED);
      assertThat(writer.reason()).contains("the archive of another data directory");
    }
    assertThat(place.restored("restored", new RestoreTarget.Latest())).containsExactly("1");
  }

  @Test
  void storeThatNeverAnswersDelaysNoCommitAndIsReported() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    place.store.hangUntil(never);
    try (ArchivedJournals.Opened opened = place.open("data")) {
      Archiver archiver =
          new Archiver(
              ArchiveOptions.to(place.store)
                  .withInterval(Duration.ofSeconds(5))
                  .withLateMax(Duration.ofSeconds(60)),
              new Archiver.Host(
                  opened.journal.tail(), place.clock, 1, () -> "a host", Duration.ZERO));
      archiver.start();
      place.store.awaitHanging();
      opened.write("1");
      assertThat(archiver.troubles()).isEmpty();
      place.clock.advance(Duration.ofSeconds(61));
      opened.write("2");
      assertThat(archiver.troubles())
          .extracting(HealthReason::code)
          .containsExactly(HealthReason.ARCHIVE_LATE);
      assertThat(archiver.statistics().lagNanos()).isEqualTo(Duration.ofSeconds(61).toNanos());
      assertThat(archiver.statistics().state()).isEqualTo(State.STARTING);
      place.clock.advance(Duration.ofSeconds(1));
      Thread closer = Thread.ofPlatform().start(archiver::close);
      while (closer.isAlive()) {
        place.clock.advance(Duration.ofMillis(1)); // the close waits for the store for no time
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void segmentsStayUntilTheyAreArchivedButNotBeyondTheBound() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      Archiver bounded =
          new Archiver(
              ArchiveOptions.to(place.store).withLagBytesMax(64 << 10),
              new Archiver.Host(
                  opened.journal.tail(), place.clock, 1, () -> "a host", Duration.ZERO));
      assertThat(bounded.historyFloor()).isZero();
      while (opened.journal.tail().bytesFrom(1) <= 64 << 10) {
        opened.write("x".repeat(1_000));
      }
      assertThat(bounded.historyFloor()).isEqualTo(Long.MAX_VALUE);
      bounded.close();
    }
  }
}
