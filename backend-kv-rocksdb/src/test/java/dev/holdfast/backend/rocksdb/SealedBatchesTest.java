package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.ObjectPrefix;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.backend.rocksdb.batch.SealedBatches.Append;
import dev.holdfast.backend.rocksdb.batch.SealedBatches.Durable;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.ByteBuffer;
import java.util.AbstractList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

final class SealedBatchesTest {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));
  private static final long ALL = Long.MAX_VALUE;

  private final InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
  private final SealedBatches batches = new SealedBatches(journal);

  @Test
  void nothingIsNeededAtFirst() {
    assertThat(batches.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void appendInProgressIsNeededBeforeItsPositionIsKnown() {
    record();
    Append append = batches.beginAppend(KEY);

    assertThat(batches.lowWaterMark()).isEqualTo(2);
    batches.withdraw(append);
    assertThat(batches.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void batchIsNeededUntilAFlushThatBeganAfterItsApplicationHasEnded() {
    seal();
    assertThat(batches.lowWaterMark()).isEqualTo(1);

    batches.beginFlush(); // too early: the batch is not in the database
    batches.applied(batches.durable(1, ALL));
    batches.endFlush(true);
    assertThat(batches.lowWaterMark()).isEqualTo(1);

    batches.beginFlush();
    assertThat(batches.lowWaterMark()).isEqualTo(1);
    batches.endFlush(true);
    assertThat(batches.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void batchIsStillNeededAfterAFlushThatFailed() {
    seal();
    batches.applied(batches.durable(1, ALL));
    batches.beginFlush();
    seal();
    batches.applied(batches.durable(2, ALL));

    batches.endFlush(false);

    assertThat(batches.lowWaterMark()).isEqualTo(1);
  }

  @Test
  void batchThatIsNotDurableIsNotGivenOut() {
    seal();
    seal();

    assertThat(positions(batches.durable(0, ALL))).isEmpty();
    assertThat(positions(batches.durable(1, ALL))).containsExactly(1L);
    assertThat(positions(batches.durable(2, ALL))).containsExactly(1L, 2L);
  }

  @Test
  void laterBatchWaitsForAnEarlierAppendInProgress() {
    Append slow = batches.beginAppend(KEY);
    long slowPosition = record();
    seal();

    assertThat(batches.durable(2, ALL)).isEqualTo(new Durable(List.of(), 0));

    batches.sealed(slow, batch(slowPosition));
    assertThat(positions(batches.durable(2, ALL))).containsExactly(1L, 2L);
    assertThat(batches.durable(2, ALL).position()).isEqualTo(2);
  }

  @Test
  void appendThatEndsFirstDoesNotHideTheOneThatBeganFirst() {
    Append first = batches.beginAppend(KEY);
    Append second = batches.beginAppend(KEY);
    record();
    batches.withdraw(second);

    assertThat(batches.lowWaterMark()).isEqualTo(1);
    batches.withdraw(first);
    assertThat(batches.lowWaterMark()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void batchesAreGivenOutInTheOrderOfTheJournalWhateverTheOrderOfTheirEnds() {
    Append first = batches.beginAppend(KEY);
    long one = record();
    Append second = batches.beginAppend(KEY);
    long two = record();
    batches.sealed(second, batch(two));
    batches.sealed(first, batch(one));

    assertThat(positions(batches.durable(2, ALL))).containsExactly(1L, 2L);
  }

  @Test
  void partOfTheBatchesEndsAtTheLastOfThem() {
    seal();
    seal();
    seal();

    Durable part = batches.durable(3, 1);

    assertThat(positions(part)).containsExactly(1L);
    assertThat(part.position()).isEqualTo(1);
    batches.applied(part);
    assertThat(positions(batches.durable(3, ALL))).containsExactly(2L, 3L);
  }

  @Test
  void recordsOfOtherViewsCountAsApplied() {
    seal();
    record();
    record();

    assertThat(batches.durable(3, ALL).position()).isEqualTo(3);
    assertThat(batches.durable(2, ALL).position()).isEqualTo(2);
  }

  /** The error came after the end of the append, and the batch was applied meanwhile. */
  @Test
  void doubtAboutABatchThatIsKnownDoesNotTakeBackWhatTheDatabaseSays() {
    Append append = batches.beginAppend(KEY);
    batches.sealed(append, batch(record()));
    batches.applied(batches.durable(1, ALL));

    batches.doubt(append);

    assertThat(batches.isInDoubt(KEY)).isTrue();
    seal();
    assertThat(batches.durable(2, ALL).position()).isEqualTo(2);
  }

  @Test
  void noBatchIsForgottenWhenMemoryEndsAsTheyAreGivenOut() {
    AtomicBoolean isShort = new AtomicBoolean();
    seal();
    Append append = batches.beginAppend(KEY);
    batches.sealed(append, batch(record(), new Changes(isShort)));
    isShort.set(true);
    assertThatThrownBy(() -> batches.durable(2, ALL)).isInstanceOf(OutOfMemoryError.class);
    isShort.set(false);

    assertThat(batches.lowWaterMark()).isEqualTo(1);
    assertThat(positions(batches.durable(2, ALL))).containsExactly(1L, 2L);
  }

  @Test
  void appliedBatchIsNeededThoughMemoryEndedAsItWasNoted() {
    AtomicBoolean isShort = new AtomicBoolean();
    Append append = batches.beginAppend(KEY);
    batches.sealed(append, batch(record(), new Changes(isShort)));
    Durable all = batches.durable(1, ALL);
    isShort.set(true);
    assertThatThrownBy(() -> batches.applied(all)).isInstanceOf(OutOfMemoryError.class);
    isShort.set(false);

    assertThat(batches.lowWaterMark()).isEqualTo(1);
    assertThat(positions(batches.durable(1, ALL))).containsExactly(1L);
  }

  /** Going through it takes memory, as going through any list does. */
  private static final class Changes extends AbstractList<Change> {
    private final AtomicBoolean isShort;

    Changes(AtomicBoolean isShort) {
      this.isShort = isShort;
    }

    @Override
    public Change get(int index) {
      throw new IndexOutOfBoundsException(index);
    }

    @Override
    public int size() {
      return 0;
    }

    @Override
    public Iterator<Change> iterator() {
      if (isShort.get()) {
        throw new OutOfMemoryError("injected");
      }
      return super.iterator();
    }
  }

  @Test
  void roomIsGivenUpWhenAsked() {
    seal();

    assertThat(batches.awaitRoom(1, () -> true)).isFalse();
    assertThat(batches.awaitRoom(ALL, () -> true)).isTrue();
    assertThat(batches.hasWaiters()).isFalse();
  }

  @Test
  void writerThatWaitsForRoomContinuesWhenBatchesAreInTheDatabase() throws InterruptedException {
    seal();
    CountDownLatch asked = new CountDownLatch(1);
    CompletableFuture<Boolean> room = new CompletableFuture<>();
    Thread waiting =
        Thread.ofVirtual()
            .start(
                () ->
                    room.complete(
                        batches.awaitRoom(
                            1,
                            () -> {
                              asked.countDown();
                              return false;
                            })));
    asked.await();
    assertThat(batches.hasWaiters()).isTrue();
    assertThat(room).isNotDone();

    batches.applied(batches.durable(1, ALL));

    waiting.join();
    assertThat(room).isCompletedWithValue(true);
  }

  private void seal() {
    Append append = batches.beginAppend(KEY);
    batches.sealed(append, batch(record()));
  }

  private long record() {
    return journal.append(RecordKind.BATCH, 9, KEY, ChainLink.FIRST, ByteBuffer.allocate(0));
  }

  private static SealedBatch batch(long position) {
    return batch(position, List.of());
  }

  private static SealedBatch batch(long position, List<Change> changes) {
    return new SealedBatch(position, KEY, new ObjectPrefix(1, KEY), false, changes, null);
  }

  private static List<Long> positions(Durable durable) {
    return durable.batches().stream().map(SealedBatch::position).toList();
  }
}
