package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.HoldfastException;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreProgress;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archiver.FaultyStore.Fault;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.statistics.ArchiveStatistics.State;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
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
  void recordThatALaterRuntimeArchivedBelongsToItsTime() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer().run();
      place.clock.advance(Duration.ofSeconds(1));
      opened.write("2");
    }
    Instant between = Instant.ofEpochMilli(place.clock.wallMillis()).plusSeconds(1);
    place.clock.advance(Duration.ofMinutes(1));
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      writer.run();
      opened.write("3");
      writer.run();
    }
    assertThat(place.restored("between", new RestoreTarget.AtTime(between)))
        .containsExactly("1", "2");
    assertThat(place.restored("first", new RestoreTarget.AtTime(between.minusMillis(1500))))
        .containsExactly("1");
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

  /** A node that was paused while another one took its shard begins its archive too late. */
  @Test
  void ownerOfAnEarlierEpochDoesNotStopALaterOne() throws IOException {
    ArchiveOptions options = ArchiveOptions.to(place.store);
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      ArchiveWriter first = opened.writer(options, new ShardEpoch(7, 10));
      ArchiveWriter paused = opened.writer(options, new ShardEpoch(7, 20));
      ArchiveWriter present = opened.writer(options, new ShardEpoch(7, 30));
      first.run();
      present.run();
      opened.write("2");
      paused.run();
      first.run();
      present.run();
      assertThat(paused.state()).isEqualTo(State.STOPPED);
      assertThat(first.state()).isEqualTo(State.STOPPED);
      assertThat(present.state()).isEqualTo(State.RUNNING);
      assertThat(present.statistics().generation()).isEqualTo(2);

      // A restored cluster begins its epochs again.
      ArchiveWriter restored = opened.writer(options, new ShardEpoch(8, 1));
      restored.run();
      present.run();
      assertThat(restored.state()).isEqualTo(State.RUNNING);
      assertThat(present.state()).isEqualTo(State.STOPPED);
    }
  }

  /** An owner may lose its shard before it has archived anything. */
  @Test
  void timeOfAnOwnerThatArchivedNothingIsInTheNextGeneration() throws IOException {
    ArchiveOptions options = ArchiveOptions.to(place.store);
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer(options, new ShardEpoch(7, 10)).run();
      place.clock.advance(Duration.ofSeconds(1));
      opened.writer(options, new ShardEpoch(7, 20)).run();
      place.clock.advance(Duration.ofSeconds(1));
      opened.write("2");
      Instant moment = Instant.ofEpochMilli(place.clock.wallMillis());
      place.clock.advance(Duration.ofSeconds(1));
      opened.writer(options, new ShardEpoch(7, 30)).run();
      assertThat(place.restoredShard("restored", new RestoreTarget.AtTime(moment)))
          .containsExactly("1", "2");
    }
  }

  /** A store may take a chunk of an owner that has lost the shard long ago. */
  @Test
  void lateChunkOfAnEarlierOwnerHidesNothing() throws IOException {
    ArchiveOptions options = ArchiveOptions.to(place.store);
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer(options, new ShardEpoch(7, 10)).run();
      place.clock.advance(Duration.ofSeconds(1));
      opened.write("2");
      JournalChunk late = Objects.requireNonNull(opened.journal.tail().read(2, 1 << 20));
      opened.write("3");
      Instant moment = Instant.ofEpochMilli(place.clock.wallMillis());
      place.clock.advance(Duration.ofSeconds(1));
      opened.writer(options, new ShardEpoch(7, 20)).run();
      assertThat(new ArchiveFiles(place.store).add(1, late)).isTrue();
      assertThat(place.restoredShard("restored", new RestoreTarget.AtTime(moment)))
          .containsExactly("1", "2", "3");
    }
  }

  /** The files of a new owner may be older than the last image of the one before. */
  @Test
  void imageThatNeedsMoreThanTheArchiveHasIsNotMade() throws IOException {
    ArchiveOptions options = ArchiveOptions.to(place.store).withBaseBytes(1);
    try (ArchivedJournals.Opened opened = place.open("data")) {
      for (int i = 1; i <= 10; i++) {
        opened.write("text " + i);
      }
      ArchiveWriter first = opened.writer(options);
      first.run();
      assertThat(first.statistics().basePosition()).isEqualTo(10);
      opened.write("text 11");
      opened.copyLag = 5;
      ArchiveWriter second = opened.writer(options);
      second.run();
      assertThat(second.statistics().basePosition()).isEqualTo(10);
    }
    assertThat(place.restored("restored", new RestoreTarget.Latest()))
        .containsExactly("text 10", "text 11");
  }

  @Test
  void shardIsNotRestoredAsADirectoryOfItsOwn() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer(ArchiveOptions.to(place.store), new ShardEpoch(0, 3)).run();
    }
    assertThatThrownBy(() -> place.restored("restored", new RestoreTarget.Latest()))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("cluster restore");
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
              new ArchiveProvider.Host(
                  opened.journal.tail(),
                  place.clock,
                  1,
                  ShardEpoch.NONE,
                  () -> "a host",
                  () -> Duration.ZERO,
                  opened.files()));
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
              new ArchiveProvider.Host(
                  opened.journal.tail(),
                  place.clock,
                  1,
                  ShardEpoch.NONE,
                  () -> "a host",
                  () -> Duration.ZERO,
                  opened.files()));
      assertThat(bounded.historyFloor()).isZero();
      while (opened.journal.tail().bytesFrom(1) <= 64 << 10) {
        opened.write("x".repeat(1_000));
      }
      assertThat(bounded.historyFloor()).isEqualTo(Long.MAX_VALUE);
      bounded.close();
    }
  }

  @Test
  void ownGenerationOfALostAnswerIsNotTakenAgain() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      ArchiveWriter older = opened.writer();
      // The list of generations and of chunks, then the entry.
      place.store.then(List.of(Fault.NONE, Fault.NONE, Fault.ANSWER_LOST));
      assertThatThrownBy(older::run).isInstanceOf(IOException.class);
      ArchiveWriter newer = opened.writer();
      newer.run();
      assertThat(newer.statistics().generation()).isEqualTo(2);
      older.run();
      assertThat(older.state()).isEqualTo(State.STOPPED);
      opened.write("2");
      newer.run();
      assertThat(newer.position()).isEqualTo(2);
    }
  }

  @Test
  void writerThatCatchesUpSeesANewerOne() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter older = opened.writer();
      older.run();
      for (int i = 0; i < 40; i++) {
        opened.write("x".repeat(1_000)); // several segments, so several chunks
      }
      place.store.afterNext(() -> opened.writer().run(), "journal/0000000000000001/");
      older.run();
      assertThat(older.state()).isEqualTo(State.STOPPED);
      assertThat(older.position()).isBetween(1L, 39L);
    }
    assertThat(place.restored("restored", new RestoreTarget.Latest())).hasSize(40);
  }

  @Test
  void chunksOfAGenerationWithoutItsEntryAreNotContinued() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer().run();
      place.store.delete("generations/0000000000000001");
      opened.write("2");
      ArchiveWriter writer = opened.writer();
      writer.run();
      assertThat(writer.state()).isEqualTo(State.STOPPED);
      assertThat(writer.reason()).contains("the entry of the generation was deleted");
    }
  }

  @Test
  void lostLastChunkOfAnEarlierGenerationIsNoticed() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter first = opened.writer();
      opened.write("1");
      first.run();
      opened.write("2");
      first.run();
      opened.writer().run(); // nothing to add: its lineage ends with that of the first
    }
    place.store.delete("journal/0000000000000001/0000000000000002.chunk");
    assertThatThrownBy(() -> place.restored("latest", new RestoreTarget.Latest()))
        .isInstanceOf(ArchiveException.class)
        .hasMessageContaining("lacks the records 2 to 2. Restore to position 1 or before");
    assertThat(place.restored("first", new RestoreTarget.AtPosition(1))).containsExactly("1");
  }

  @Test
  void lostChunkIsNotNeededForAMomentBeforeIt() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      ArchiveWriter writer = opened.writer();
      for (String text : List.of("1", "2", "3")) {
        opened.write(text);
        writer.run();
      }
    }
    place.store.delete("journal/0000000000000001/0000000000000002.chunk");
    assertThat(place.restored("first", new RestoreTarget.AtPosition(1))).containsExactly("1");
  }

  @Test
  void secondRestoreToOneDirectoryIsRefused() throws IOException {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.write("1");
      opened.writer().run();
    }
    AtomicReference<Throwable> second = new AtomicReference<>();
    RestoreProgress meanwhile =
        (_, _, _, _) -> {
          try {
            place.restored("restored", new RestoreTarget.Latest());
          } catch (HoldfastException e) {
            second.set(e);
          }
        };
    place.restore("restored", new RestoreTarget.Latest(), meanwhile);
    assertThat(second.get()).isInstanceOf(DirectoryInUseException.class);
    try (ArchivedJournals.Opened restored = place.open("restored")) {
      assertThat(restored.texts()).containsExactly("1");
    }
    assertThat(place.directory.resolve("restored.restoring")).doesNotExist();
  }
}
