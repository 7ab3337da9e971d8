package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Rules for recovery: after any crash the backend has the state of the journal, and nothing else.
 */
abstract class RecoveryContract extends ScanContract {

  private static final ObjectKey FIRST = object(1);
  private static final ObjectKey SECOND = object(2);
  private static final ObjectKey THIRD = object(3);

  @Test
  void everyPrefixOfTheJournalIsRecoveredExactly() {
    doSomeOfEverything();

    requireEveryCrashRecovers();
  }

  @Test
  void everyPrefixIsRecoveredAlsoWhenObjectsWereReleased() {
    doSomeOfEverything();
    release(FIRST);
    release(SECOND);
    commit(THIRD, pairs -> pairs.put("last", "one"));

    requireEveryCrashRecovers();
  }

  @Test
  void openTurnLeavesNothingAfterACrash() {
    commit(FIRST, pairs -> pairs.put("a", "1"));
    StoreTurn open = begin(FIRST);
    open.put(bytes("a"), bytes("9"));
    open.put(bytes("large"), new byte[100_000]);

    crashAt(journal().lastPosition());

    requireContents();
  }

  @Test
  void discardedTurnLeavesNothingAfterACrash() {
    commit(FIRST, pairs -> pairs.put("a", "1"));
    StoreTurn discarded = begin(FIRST);
    discarded.put(bytes("a"), bytes("9"));
    discarded.discard();
    commit(FIRST, pairs -> pairs.put("b", "2"));

    requireEveryCrashRecovers();
  }

  @Test
  void workGoesOnAfterEachOfManyCrashes() {
    for (int round = 0; round < 5; round++) {
      String value = String.valueOf(round);
      commit(FIRST, pairs -> pairs.put("round", value).put("round-" + value, value));
      long kept = commit(SECOND, pairs -> pairs.put("round", value));
      commit(SECOND, pairs -> pairs.put("lost", value));

      crashAt(Math.max(kept, journal().durablePosition()));

      requireContents();
    }
  }

  @Test
  void recoveryIsIdempotent() {
    doSomeOfEverything();

    crashAt(journal().lastPosition());
    crashAt(journal().lastPosition());
    requireContents();
    crashAt(journal().lastPosition());

    requireContents();
  }

  @Test
  void recoveryThatWasInterruptedIsRepeated() {
    doSomeOfEverything();
    long last = journal().lastPosition();
    for (long survived = 0; survived < last; survived++) {
      Path image = process().crashImage();
      InMemoryJournal left = journal().prefix(last);
      RecoveryLog interrupted = interruptedAfter(survived, left);
      journal().crash();

      assertThatExceptionOfType(PowerCut.class)
          .isThrownBy(() -> process().openOn(image, left, interrupted));

      crashAt(last);
      requireContents();
    }
  }

  @Test
  void workThatFollowsALostBatchIsRecovered() {
    commit(FIRST, pairs -> pairs.put("a", "1").put("b", "1"));
    long durable = commit(SECOND, pairs -> pairs.put("a", "2"));
    journal().makeDurable(durable);
    commit(FIRST, pairs -> pairs.put("a", "3").delete("b"));
    crashAt(Math.max(durable, journal().durablePosition()));

    requireContents();
    commit(FIRST, pairs -> pairs.put("c", "4"));

    requireEveryCrashRecovers();
  }

  @Test
  void recordsOfOtherViewsAreLeftAlone() {
    int otherView = backend().viewId() == 1 ? 2 : 1;
    ByteBuffer foreign = ByteBuffer.wrap(bytes("not for this view"));
    commit(FIRST, pairs -> pairs.put("a", "1"));
    journal().append(RecordKind.BATCH, otherView, FIRST, ChainLink.FIRST, foreign);
    journal()
        .append(RecordKind.CHECKPOINT, otherView, FIRST, ByteBuffer.allocate(8).putLong(0, 99));
    commit(FIRST, pairs -> pairs.put("b", "2"));

    requireEveryCrashRecovers();
  }

  @Test
  void cleanCloseKeepsEverything() {
    doSomeOfEverything();

    process().closeAndReopen();
    requireContents();
    commit(FIRST, pairs -> pairs.put("after", "reopening"));
    process().closeAndReopen();

    requireContents();
  }

  @Test
  void crashAfterACleanCloseKeepsEverything() {
    doSomeOfEverything();
    process().closeAndReopen();
    commit(SECOND, pairs -> pairs.put("after", "reopening"));
    commit(FIRST, pairs -> pairs.deleteAll().put("only", "this"));

    requireEveryCrashRecovers();
  }

  /** Writes every kind of change to three objects, some of them to keys that others change too. */
  final void doSomeOfEverything() {
    commit(FIRST, pairs -> pairs.put("a", "1").put("b", "2"));
    commit(SECOND, pairs -> pairs.put("a", "x".repeat(20_000)));
    commit(FIRST, pairs -> pairs.put("a", "3").delete("b").put("c", "4"));
    commit(THIRD, pairs -> pairs.put("\uD83D\uDE00", "5").put("\u00FF", ""));
    commit(SECOND, pairs -> pairs.put("a", "y".repeat(30_000)).put("b", "6"));
    commit(FIRST, Pairs::deleteAll);
    commit(THIRD, pairs -> pairs.delete("\u00FF"));
    commit(FIRST, pairs -> pairs.put("b", "7"));
    commit(SECOND, pairs -> pairs.deleteAll().put("c", "8"));
  }

  /** A recovery log whose reading is interrupted after {@code records} records. */
  private static RecoveryLog interruptedAfter(long records, RecoveryLog log) {
    return visitor -> {
      AtomicLong left = new AtomicLong(records);
      log.forEach(
          each -> {
            if (left.getAndDecrement() == 0) {
              throw new PowerCut();
            }
            visitor.visit(each);
          });
    };
  }

  @SuppressWarnings("serial") // thrown and caught within one test
  private static final class PowerCut extends RuntimeException {
    PowerCut() {
      super("The power was cut during recovery.");
    }
  }
}
