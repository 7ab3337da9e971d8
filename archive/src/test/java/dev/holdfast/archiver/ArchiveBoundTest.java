package dev.holdfast.archiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.RestoreTarget.AtTime;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.journal.ArchiveProvider;
import dev.holdfast.journal.ShardEpoch;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.statistics.ArchiveStatistics.State;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that does not answer until the journal has dropped what was not archived. */
final class ArchiveBoundTest {

  private static final int BOUND_BYTES = 64 << 10;
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final ArchivedJournals place = new ArchivedJournals();
  private final LogLines log = new LogLines();
  private final View view = new View();

  @AfterEach
  void delete() throws IOException {
    log.close();
    place.close();
  }

  /** A view of the journal. */
  private static final class View implements JournalView {

    /** The first position that it needs; all before it is history. */
    private volatile long needed;

    /** Runs whenever the journal asks how much history is needed. */
    private volatile Runnable atFloor = () -> {};

    @Override
    public long historyFloor() {
      atFloor.run();
      return Long.MAX_VALUE;
    }

    @Override
    public int viewId() {
      return 1;
    }

    @Override
    public void recover(RecoveryLog records) {}

    @Override
    public long lowWaterMark() {
      return needed;
    }

    @Override
    public void checkpointBefore(long position) {}
  }

  private Archiver start(ArchivedJournals.Opened opened, int owner) {
    Archiver archiver =
        new Archiver(
            ArchiveOptions.to(place.store)
                .withInterval(INTERVAL)
                .withLateMax(Duration.ofDays(365))
                .withLagBytesMax(BOUND_BYTES),
            new ArchiveProvider.Host(
                opened.journal.tail(),
                place.clock,
                owner,
                ShardEpoch.NONE,
                () -> "a host",
                () -> Duration.ofDays(1),
                opened.files()));
    opened.journal.start(List.of(view, archiver));
    archiver.start();
    return archiver;
  }

  /** The thread of the archive works beside the clock. */
  private void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      place.clock.advance(INTERVAL);
      Thread.onSpinWait();
    }
  }

  private static List<String> reasons(Archiver archiver) {
    return archiver.troubles().stream().map(HealthReason::code).toList();
  }

  private static boolean hasAll(ArchivedJournals.Opened opened, Archiver archiver) {
    return archiver.statistics().position() == opened.journal.durablePosition();
  }

  private static void write(ArchivedJournals.Opened opened) {
    opened.write("x".repeat(1_000));
  }

  @Test
  void purgeThatDoesNotEndSaysWhy() throws Exception {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      Archiver archiver = start(opened, 1);
      opened.write("before");
      await(() -> hasAll(opened, archiver));
      place.store.refuse(".base");
      CompletableFuture<Long> purge = archiver.purge();
      assertThat(reasons(archiver)).isEmpty();
      await(() -> archiver.troubles().stream().anyMatch(each -> each.text().contains("503")));
      assertThat(reasons(archiver)).containsExactly(HealthReason.PURGE_WAITS);

      place.store.refuse("");
      await(purge::isDone);
      assertThat(reasons(archiver)).isEmpty();
      close(archiver);
    }
  }

  @Test
  void purgeWithoutRoomForItsImageSaysWhy() throws Exception {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      Archiver archiver = start(opened, 1);
      opened.write("before");
      await(() -> hasAll(opened, archiver));
      opened.hasRoom = false;
      CompletableFuture<Long> purge = archiver.purge();
      await(() -> archiver.troubles().stream().anyMatch(each -> each.text().contains("no room")));
      assertThat(reasons(archiver)).containsExactly(HealthReason.PURGE_WAITS);

      opened.hasRoom = true;
      await(purge::isDone);
      assertThat(reasons(archiver)).isEmpty();
      close(archiver);
    }
  }

  @Test
  void eachStepFromTheBoundToTheNewBaseIsReportedAndNoCommitWaits() throws Exception {
    Instant before;
    Instant lost;
    List<String> texts;
    try (ArchivedJournals.Opened opened = place.open("data")) {
      opened.hasRoom = false;
      Archiver archiver = start(opened, 1);
      opened.write("before");
      before = Instant.ofEpochMilli(place.clock.wallMillis());
      await(() -> hasAll(opened, archiver));

      // The store hangs; every commit here returns all the same.
      CountDownLatch answer = hang();
      while (reasons(archiver).isEmpty()) {
        write(opened);
      }
      assertThat(reasons(archiver)).containsExactly(HealthReason.ARCHIVE_BOUND);
      assertThat(log.events()).containsExactly("WARNING archive-bound");
      assertThat(log.toString()).contains(BOUND_BYTES + " bytes", "memory");
      view.needed = Long.MAX_VALUE;
      while (opened.journal.tail().oldestPosition() <= 2) {
        write(opened);
      }
      place.clock.advance(INTERVAL);
      assertThat(archiver.statistics().state()).isEqualTo(State.RUNNING); // the store still hangs
      assertThat(reasons(archiver)).containsExactly(HealthReason.ARCHIVE_GAP);
      assertThat(archiver.troubles().getFirst().text()).contains("were dropped", "memory");
      assertThat(log.events()).containsExactly("WARNING archive-bound", "WARNING archive-gap");
      lost = Instant.ofEpochMilli(place.clock.wallMillis());
      place.clock.advance(INTERVAL);
      write(opened);

      place.store.refuse(".base");
      answer.countDown();
      await(() -> archiver.statistics().state() == State.GAP);
      assertThat(reasons(archiver)).containsExactly(HealthReason.ARCHIVE_GAP);
      assertThat(archiver.troubles().getFirst().text()).contains("Records 2 to", "were dropped");

      await(() -> log.events().contains("WARNING archive-image-failed"));
      opened.hasRoom = true;
      await(() -> reasons(archiver).equals(List.of(HealthReason.ARCHIVE_RESTARTED)));
      assertThat(archiver.statistics().state()).isEqualTo(State.RUNNING);
      assertThat(archiver.troubles().getFirst().text())
          .contains("goes on with position", "records 2 to", "when it is complete");

      place.store.refuse("");
      await(() -> reasons(archiver).isEmpty());
      opened.write("after");
      await(() -> hasAll(opened, archiver));
      close(archiver);
      texts = opened.texts();
    }
    assertThat(log.events())
        .containsExactly(
            "WARNING archive-bound",
            "WARNING archive-gap",
            "WARNING archive-image-failed",
            "WARNING archive-restarted",
            "INFO archive-resumed");
    assertThat(place.restored("before", new AtTime(before))).containsExactly("before");
    assertThatThrownBy(() -> place.restored("lost", new AtTime(lost)))
        .isInstanceOf(ArchiveException.class);
    List<String> restored = place.restored("latest", new Latest());
    assertThat(restored).hasSizeGreaterThan(1).endsWith("after");
    assertThat(texts).endsWith(restored.toArray(String[]::new));

    try (ArchivedJournals.Opened again = place.open("latest")) {
      Archiver archiver = start(again, 2);
      again.write("of the restored one");
      await(() -> hasAll(again, archiver));
      assertThat(reasons(archiver)).isEmpty();
      close(archiver);
    }
    assertThat(place.restored("again", new Latest())).endsWith("after", "of the restored one");
  }

  @Test
  void nothingIsMissingIfTheStoreAnswersWhileTheJournalNeedsTheRecords() throws Exception {
    try (ArchivedJournals.Opened opened = place.open("data")) {
      Archiver archiver = start(opened, 1);
      opened.write("before");
      await(() -> hasAll(opened, archiver));
      CountDownLatch answer = hang();
      while (reasons(archiver).isEmpty()) {
        write(opened);
      }
      assertThat(reasons(archiver)).containsExactly(HealthReason.ARCHIVE_BOUND);
      answer.countDown();
      await(() -> reasons(archiver).isEmpty());
      close(archiver);
      assertThat(log.events()).containsExactly("WARNING archive-bound", "INFO archive-resumed");
      assertThat(place.restored("latest", new Latest())).isEqualTo(opened.texts());
    }
  }

  /** The journal asks the archive under a lock that the archive needs to ask the journal. */
  @Test
  void clockAndJournalAskAtTheSameTime() throws Exception {
    ArchivedJournals.Opened opened = place.open("data"); // not closed if the two wait for ever
    Archiver archiver = start(opened, 1);
    opened.write("before");
    await(() -> hasAll(opened, archiver));
    CountDownLatch answer = hang();
    AtomicInteger ticksThatWaited = new AtomicInteger();
    view.atFloor =
        () -> {
          Thread tick = Thread.ofPlatform().start(() -> place.clock.advance(INTERVAL));
          while (tick.isAlive() && tick.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
          }
          if (tick.isAlive()) {
            ticksThatWaited.incrementAndGet();
            view.atFloor = () -> {};
          }
        };
    view.needed = Long.MAX_VALUE;
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (opened.journal.tail().oldestPosition() <= 2) {
                    write(opened);
                  }
                });
    while (writer.isAlive()) {
      assertThat(ManagementFactory.getThreadMXBean().findDeadlockedThreads()).isNull();
    }
    assertThat(ticksThatWaited).hasValue(1);
    answer.countDown();
    await(() -> reasons(archiver).isEmpty());
    close(archiver);
    opened.close();
  }

  /** {@return what lets the store answer again; the thread of the archive waits for it} */
  private CountDownLatch hang() throws InterruptedException {
    CountDownLatch answer = new CountDownLatch(1);
    place.store.hangUntil(answer);
    place.clock.advance(INTERVAL);
    place.store.awaitHanging();
    return answer;
  }

  private void close(Archiver archiver) {
    Thread closer = Thread.ofPlatform().start(archiver::close);
    while (closer.isAlive()) {
      Thread.onSpinWait(); // the store answers: no clock is needed
    }
  }
}
