package dev.holdfast.journal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the journal keeps and finds when the clock is wrong for a while, or the machine sleeps. */
final class ClockFaultTest {

  private static final Duration WINDOW = Duration.ofDays(30);
  private static final Duration FAR = Duration.ofDays(3_650);
  private static final String FILLER = "x".repeat(3_000);

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  private FileJournal open() {
    FileJournal journal =
        FileJournal.open(
            directory,
            clock,
            Journals.SMALL.withHistory(new HistoryOptions(WINDOW.toMillis(), Long.MAX_VALUE)));
    journal.start(List.of(new HistoryTest.Floor()));
    return journal;
  }

  private static void write(FileJournal journal, int count) {
    for (int i = 0; i < count; i++) {
      Journals.write(journal, FILLER);
    }
    Journals.awaitReviews(journal); // they read the clock, which is about to move
  }

  private void moveClock(Duration by) {
    clock.setWallClock(clock.now().plus(by));
  }

  /** Lets days pass with writes. */
  private void days(FileJournal journal, int count) {
    for (int i = 0; i < count; i++) {
      clock.advance(Duration.ofDays(1));
      write(journal, 2);
    }
  }

  private long oldestAfterAnOpening() {
    try (FileJournal journal = open()) {
      write(journal, 10); // each new segment triggers a review of the old ones
    }
    try (FileJournal journal = open()) {
      return journal.history().oldestPosition();
    }
  }

  @Test
  void historyExpiresInItsTimeAfterAClockThatWasAheadForAMoment() {
    long last;
    try (FileJournal journal = open()) {
      write(journal, 60);
      moveClock(FAR);
      write(journal, 20);
      moveClock(FAR.negated());
      days(journal, 5);
      last = journal.lastPosition();
      days(journal, 35);
    }
    assertThat(oldestAfterAnOpening()).isGreaterThan(last);
  }

  /** As a machine that has no time yet when the application begins. */
  @Test
  void historySurvivesAClockThatIsAheadWhenTheJournalIsOpened() {
    try (FileJournal journal = open()) {
      days(journal, 20);
    }
    moveClock(FAR);
    try (FileJournal journal = open()) {
      write(journal, 20);
      clock.advance(Duration.ofMinutes(50));
      write(journal, 20);
      moveClock(FAR.negated());
      write(journal, 20);
    }
    assertThat(oldestAfterAnOpening()).isOne();
  }

  @Test
  void historyExpiresAnHourAfterAnOpeningThatComesLate() {
    long last;
    try (FileJournal journal = open()) {
      write(journal, 60);
      last = journal.lastPosition();
      write(journal, 20);
    }
    moveClock(Duration.ofDays(365));
    try (FileJournal journal = open()) {
      write(journal, 20);
      assertThat(journal.history().oldestPosition()).isOne();
      clock.advance(Duration.ofMinutes(61));
      write(journal, 20);
      assertThat(journal.history().oldestPosition()).isGreaterThan(last);
    }
  }

  /** Nothing else may happen in that hour that makes the journal look. */
  @Test
  void historyExpiresAnHourAfterAnOpeningThatComesLateThoughNothingIsWritten() {
    try (FileJournal journal = open()) {
      write(journal, 60);
      clock.advance(WINDOW.minusDays(1));
      write(journal, 20);
    }
    moveClock(WINDOW.minusDays(2));
    try (FileJournal journal = open()) {
      write(journal, 1);
      clock.advance(Duration.ofMinutes(61));
      Journals.awaitReviews(journal);
      assertThat(journal.history().oldestPosition()).isGreaterThan(1);
    }
  }

  @Test
  void historyExpiresThoughTheClockWasAheadWhenTheJournalBegan() {
    moveClock(FAR);
    try (FileJournal journal = open()) {
      write(journal, 20);
    }
    moveClock(FAR.negated());
    long last;
    try (FileJournal journal = open()) {
      write(journal, 20);
      last = journal.lastPosition();
      days(journal, 35);
    }
    assertThat(oldestAfterAnOpening()).isGreaterThanOrEqualTo(last);
  }

  @Test
  void historySurvivesAClockThatIsFarBehindForAWhile() {
    Instant right = clock.now();
    try (FileJournal journal = open()) {
      days(journal, 20);
      right = clock.now();
    }
    clock.setWallClock(Instant.EPOCH); // as after a boot without a battery
    try (FileJournal journal = open()) {
      write(journal, 20);
      clock.advance(Duration.ofHours(5));
      write(journal, 20);
      clock.setWallClock(right.plus(Duration.ofHours(5)));
      write(journal, 20);
      clock.advance(Duration.ofHours(5));
      write(journal, 20);
    }
    assertThat(oldestAfterAnOpening()).isOne();
  }

  @Test
  void statesAreFoundByTimeAfterAClockThatWasAheadForAMoment() {
    try (FileJournal journal = open()) {
      Instant start = clock.now();
      tenAMinute(journal);
      moveClock(FAR);
      write(journal, 10);
      moveClock(FAR.negated());
      clock.advance(Duration.ofMinutes(1));
      tenAMinute(journal);
      for (int minute = 0; minute < 10; minute++) {
        long millis = start.plus(Duration.ofMinutes(minute)).toEpochMilli();
        int ahead = minute == 9 ? 10 : 0; // they came after the last one before them
        assertThat(journal.history().positionAt(millis)).isEqualTo(minute + 1 + ahead);
        long later = start.plus(Duration.ofMinutes(11 + minute)).toEpochMilli();
        assertThat(journal.history().positionAt(later)).isEqualTo(21 + minute);
      }
      assertThat(journal.history().positionAt(start.toEpochMilli() - 1)).isZero();
    }
  }

  @Test
  void statesAreFoundByTimeAfterAClockThatWasBehindForAMoment() {
    try (FileJournal journal = open()) {
      Instant start = clock.now();
      tenAMinute(journal);
      moveClock(FAR.negated());
      write(journal, 10);
      moveClock(FAR);
      clock.advance(Duration.ofMinutes(1));
      tenAMinute(journal);
      for (int minute = 0; minute < 10; minute++) {
        long millis = start.plus(Duration.ofMinutes(minute)).toEpochMilli();
        assertThat(journal.history().positionAt(millis)).isEqualTo(minute + (minute == 9 ? 11 : 1));
        long later = start.plus(Duration.ofMinutes(11 + minute)).toEpochMilli();
        assertThat(journal.history().positionAt(later)).isEqualTo(21 + minute);
      }
    }
  }

  private void tenAMinute(FileJournal journal) {
    for (int i = 0; i < 10; i++) {
      write(journal, 1);
      clock.advance(Duration.ofMinutes(1));
    }
  }

  /** The monotonic clock stops while the machine sleeps: each pause is a step of the wall clock. */
  @Test
  void historyExpiresOnAMachineThatSleepsAgainAndAgain() {
    long last;
    try (FileJournal journal = open()) {
      write(journal, 20);
      last = journal.lastPosition();
      for (int i = 0; i < 200; i++) {
        moveClock(Duration.ofHours(8));
        clock.advance(Duration.ofMinutes(20));
        write(journal, 5);
      }
      clock.setWallClock(VirtualClock.DEFAULT_START); // the opening finds no segment too old
    }
    try (FileJournal journal = open()) {
      assertThat(journal.history().oldestPosition()).isGreaterThanOrEqualTo(last);
    }
  }
}
