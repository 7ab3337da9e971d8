package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.ForwardingJournal;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.JournalView;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The rules for every storage backend, as a JUnit suite: extend it and implement {@link
 * #openBackend}. It tests all of {@link StorageBackend}, {@link dev.holdfast.spi.ObjectStore},
 * {@link StoreTurn} and {@link JournalView} except SQL.
 *
 * <pre>{@code
 * final class MyBackendContractTest extends BackendContract {
 *   @Override
 *   protected StorageBackend openBackend(Journal journal, Path directory) {
 *     return new MyBackend(journal, directory);
 *   }
 * }
 * }</pre>
 *
 * <p>The journal is an {@link InMemoryJournal} with {@link Durability#ON_WAIT}: a backend that
 * waits for durability gets it at once, one that does not wait must survive every crash after which
 * its records are missing.
 */
public abstract class BackendContract extends CatalogContract {

  private static final ObjectKey FIRST = object(1);
  private static final ObjectKey SECOND = object(2);

  /** For subclasses. */
  protected BackendContract() {}

  @Test
  void viewIdFitsIntoAByteAndStaysTheSame() {
    int viewId = backend().viewId();
    process().closeAndReopen();

    assertThat(viewId).isBetween(1, 255).isEqualTo(backend().viewId());
  }

  @Test
  void freshViewNeedsNoRecord() {
    assertThat(backend().lowWaterMark()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void viewNeedsABatchThatIsNotDurable() {
    // The files must not contain a change before the journal has it, so the record must stay.
    process().openOn(process().newDirectory(), new InMemoryJournal(Durability.MANUAL));
    long first = turn(FIRST, turn -> turn.put(bytes("a"), bytes("1")));
    turn(SECOND, turn -> turn.put(bytes("a"), bytes("2")));
    turn(FIRST, turn -> turn.put(bytes("a"), bytes("3")));

    assertThat(backend().lowWaterMark()).isLessThanOrEqualTo(first);
    journal().makeAllDurable();
  }

  @Test
  void viewNeedsTheRecordThatIsBeingAppended() {
    InMemoryJournal records = new InMemoryJournal();
    WatchedJournal watched = new WatchedJournal(records);
    StorageBackend view = process().openBeside(watched);
    watched.view = view;
    view.recover(records);

    for (int number = 0; number < 3; number++) {
      StoreTurn turn = view.store(object(number)).beginTurn();
      turn.put(bytes("a"), bytes("1"));
      turn.seal();
    }

    assertThat(records.lastPosition()).isGreaterThanOrEqualTo(3);
    assertThat(watched.tooLate).isEmpty();
  }

  @Test
  void journalMayForgetWhatTheViewDoesNotNeed() {
    doSomeOfEverything();
    process().trimToLowWaterMark();
    requireEveryCrashRecovers();

    commit(FIRST, pairs -> pairs.put("more", "1"));
    release(FIRST);
    release(SECOND);
    process().trimToLowWaterMark();
    commit(SECOND, pairs -> pairs.put("more", "2"));

    requireEveryCrashRecovers();
  }

  @Test
  void journalMayForgetAgainAfterARecovery() {
    doSomeOfEverything();
    process().trimToLowWaterMark();
    crashAt(journal().lastPosition());
    process().trimToLowWaterMark();
    commit(FIRST, pairs -> pairs.put("more", "1"));

    requireEveryCrashRecovers();
  }

  @Test
  void journalMayForgetAfterACleanClose() {
    doSomeOfEverything();
    process().closeBackend();
    journal().makeAllDurable();
    journal().trimBefore(backend().lowWaterMark());

    crashAt(journal().lastPosition());

    requireContents();
  }

  @Test
  void checkpointOfNothingIsHarmless() {
    backend().checkpointBefore(1);
    awaitBackgroundWork(backend());
    commit(FIRST, pairs -> pairs.put("a", "1"));
    backend().checkpointBefore(1);
    awaitBackgroundWork(backend());

    requireEveryCrashRecovers();
    requireContents();
  }

  @Test
  void checkpointWhileATurnIsOpenLeavesTheTurnAlone() {
    commit(FIRST, pairs -> pairs.put("a", "1"));
    journal().makeAllDurable();
    StoreTurn open = begin(FIRST);
    open.put(bytes("b"), bytes("open"));

    backend().checkpointBefore(journal().lastPosition() + 1);
    commit(SECOND, pairs -> pairs.put("a", "2"));

    assertThat(open.get(bytes("b"))).isEqualTo(bytes("open"));
    open.discard();
    requireContents();
    requireEveryCrashRecovers();
  }

  @Test
  void backendsOfOneProcessDoNotDisturbEachOther() {
    turn(FIRST, turn -> turn.put(bytes("a"), bytes("first")));
    release(FIRST);
    StorageBackend first = backend();

    process().openOn(process().newDirectory(), new InMemoryJournal());
    assertThat(scan(FIRST, ALL)).isEmpty();
    turn(FIRST, turn -> turn.put(bytes("a"), bytes("second")));

    assertThat(scan(FIRST, ALL)).containsExactly("a=second");
    StoreTurn turn = first.store(FIRST).beginTurn();
    assertThat(scan(turn, ALL)).containsExactly("a=first");
    turn.discard();
  }

  @Test
  void closeAfterTheJournalHasFailedKeepsWhatIsDurable() {
    doSomeOfEverything();
    long durable = journal().durablePosition();
    InMemoryJournal left = journal().crash();

    process().closeBackend();
    process().openOn(process().crashImage(), left);

    requireContentsAt(durable);
  }

  /** Asks for the low-water mark at the worst moment: when the record has its position. */
  private static final class WatchedJournal extends ForwardingJournal {
    final List<String> tooLate = new ArrayList<>();
    @Nullable JournalView view;

    WatchedJournal(Journal journal) {
      super(journal);
    }

    @Override
    public long append(
        RecordKind kind,
        int viewId,
        ObjectKey key,
        @Nullable ChainLink link,
        ByteBuffer payload,
        @Nullable ByteBuffer events) {
      long position = journal.append(kind, viewId, key, link, payload, events);
      if (kind == RecordKind.BATCH && view != null && view.lowWaterMark() > position) {
        tooLate.add("mark " + view.lowWaterMark() + " while " + position + " is appended");
      }
      return position;
    }
  }
}
