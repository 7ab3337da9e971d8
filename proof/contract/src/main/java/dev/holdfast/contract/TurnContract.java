package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.RecordKind;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.StorageLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Rules for turns: what they read, and that they are sealed as a whole or not at all. */
abstract class TurnContract extends BackendFixture {

  private final ObjectKey key = object(1);

  @Test
  void freshObjectIsEmpty() {
    assertThat(get(key, "a")).isNull();
    assertThat(scan(key, ALL)).isEmpty();
  }

  @Test
  void readSeesTheTurnsOwnWrites() {
    turn(
        key,
        turn -> {
          turn.put(bytes("a"), bytes("1"));
          assertThat(turn.get(bytes("a"))).isEqualTo(bytes("1"));
          turn.put(bytes("a"), bytes("2"));
          assertThat(turn.get(bytes("a"))).isEqualTo(bytes("2"));
          turn.delete(bytes("a"));
          assertThat(turn.get(bytes("a"))).isNull();
        });
  }

  @Test
  void laterTurnSeesSealedWrites() {
    commit(key, pairs -> pairs.put("a", "1").put("b", "2"));
    commit(key, pairs -> pairs.put("a", "3").delete("b").put("c", "4"));

    requireContents();
  }

  @Test
  void deleteReturnsWhetherTheKeyExisted() {
    commit(key, pairs -> pairs.put("a", "1"));

    turn(
        key,
        turn -> {
          assertThat(turn.delete(bytes("a"))).isTrue();
          assertThat(turn.delete(bytes("a"))).isFalse();
          assertThat(turn.delete(bytes("b"))).isFalse();
          turn.put(bytes("b"), bytes("2"));
          assertThat(turn.delete(bytes("b"))).isTrue();
        });
  }

  @Test
  void discardUndoesEverythingTheTurnWrote() {
    commit(key, pairs -> pairs.put("a", "1").put("b", "2"));

    StoreTurn turn = begin(key);
    turn.put(bytes("a"), bytes("9"));
    turn.delete(bytes("b"));
    turn.put(bytes("c"), bytes("9"));
    turn.discard();

    requireContents();
  }

  @Test
  void discardUndoesDeleteAll() {
    commit(key, pairs -> pairs.put("a", "1").put("b", "2"));

    StoreTurn turn = begin(key);
    turn.deleteAll();
    turn.put(bytes("c"), bytes("9"));
    turn.discard();

    requireContents();
  }

  @Test
  void deleteAllLeavesWhatTheTurnWritesAfterwards() {
    commit(key, pairs -> pairs.put("a", "1").put("b", "2"));
    commit(key, pairs -> pairs.put("c", "3").deleteAll().put("b", "4"));

    requireContents();
  }

  @Test
  void objectIsUsableAfterDeleteAll() {
    commit(key, pairs -> pairs.put("a", "1"));
    commit(key, Pairs::deleteAll);
    requireContents();

    commit(key, pairs -> pairs.put("a", "2"));

    requireContents();
  }

  @Test
  void sealOfATurnThatOnlyReadsAppendsNothing() {
    commit(key, pairs -> pairs.put("a", "1"));
    long last = journal().lastPosition();

    long position =
        turn(
            key,
            turn -> {
              turn.get(bytes("a"));
              turn.delete(bytes("missing"));
              scan(turn, ALL);
            });

    assertThat(position).isEqualTo(Journal.START);
    assertThat(journal().lastPosition()).isEqualTo(last);
  }

  @Test
  void oneTurnIsOneRecordAtThePositionThatSealReturns() {
    long position =
        commit(key, pairs -> pairs.put("a", "1").put("b", "2").delete("a").put("c", "3"));

    List<JournalRecord> batches =
        journal().records().stream().filter(each -> each.kind() == RecordKind.BATCH).toList();
    assertThat(batches).hasSize(1);
    assertThat(batches.getFirst().position()).isEqualTo(position);
    assertThat(batches.getFirst().viewId()).isEqualTo(backend().viewId());
    assertThat(batches.getFirst().key()).isEqualTo(key);
  }

  @Test
  void positionsAscendWithTheTurns() {
    long first = commit(key, pairs -> pairs.put("a", "1"));
    long second = commit(object(2), pairs -> pairs.put("a", "2"));
    long third = commit(key, pairs -> pairs.put("a", "3"));

    assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void objectsDoNotSeeEachOther() {
    ObjectKey sameIdElsewhere = new ObjectKey("contract-2", key.id());
    commit(key, pairs -> pairs.put("a", "1"));
    commit(object(2), pairs -> pairs.put("a", "2"));
    commit(sameIdElsewhere, pairs -> pairs.put("a", "3"));
    commit(object(2), Pairs::deleteAll);

    requireContents();
  }

  @Test
  void nameOfAnIdTakesNoPartInTheKey() {
    commit(key, pairs -> pairs.put("a", "1"));

    ObjectKey named = new ObjectKey(key.namespace(), ObjectId.of(key.id().toBytes(), "front page"));

    assertThat(scan(named, ALL)).containsExactly("a=1");
  }

  @Test
  void valuesOfAnyBytesAndSizesComeBack() {
    byte[] everyByte = new byte[256];
    for (int value = 0; value < everyByte.length; value++) {
      everyByte[value] = (byte) value;
    }
    byte[] largest = new byte[StorageLimits.VALUE_BYTES_MAX + StorageLimits.VALUE_HEADER_BYTES];
    Arrays.fill(largest, (byte) 0xA5);
    String longestKey = "k".repeat(StorageLimits.KEY_BYTES_MAX);

    turn(
        key,
        turn -> {
          turn.put(bytes("empty"), new byte[0]);
          turn.put(bytes("every"), everyByte);
          turn.put(bytes(longestKey), largest);
        });
    release(key);

    assertThat(get(key, "empty")).isEmpty();
    assertThat(get(key, "every")).isEqualTo(everyByte);
    assertThat(get(key, longestKey)).isEqualTo(largest);
  }

  @Test
  void keysThatLookAlikeAreDifferent() {
    commit(
        key,
        pairs -> pairs.put("", "0").put("a", "1").put("a\0", "2").put("a\0b", "3").put("A", "4"));
    commit(key, pairs -> pairs.put("\0", "5").delete("a").put("a ", "6"));

    requireContents();
    assertThat(get(key, "a\0b")).isEqualTo(bytes("3"));
  }

  @Test
  void largeBatchIsSealedAsAWhole() {
    commit(
        key,
        pairs -> {
          for (int number = 0; number < 2_000; number++) {
            pairs.put("key-" + number, number + "-".repeat(500));
          }
        });
    release(key);

    requireContents();
  }

  @Test
  void refusedAppendUndoesTheTurnAndTheNextOneWorks() {
    commit(key, pairs -> pairs.put("a", "1"));
    journal().refuseNextAppend(new DataDirectoryException(Path.of("data"), "full", null));

    StoreTurn turn = begin(key);
    turn.put(bytes("a"), bytes("9"));
    turn.put(bytes("b"), bytes("9"));
    assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(turn::seal);

    requireContents();
    commit(key, pairs -> pairs.put("c", "3"));
    requireEveryCrashRecovers();
    requireContents();
  }

  @Test
  void failedJournalUndoesTheTurn() {
    commit(key, pairs -> pairs.put("a", "1"));
    StoreTurn turn = begin(key);
    turn.put(bytes("a"), bytes("9"));

    journal().fail(new IOException("injected"));

    assertThatExceptionOfType(JournalFailedException.class).isThrownBy(turn::seal);
    requireContents();
  }

  @Test
  void discardAfterAFailedSealDoesNothing() {
    journal().refuseNextAppend(new DataDirectoryException(Path.of("data"), "full", null));
    StoreTurn turn = begin(key);
    turn.put(bytes("a"), bytes("9"));
    assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(turn::seal);

    turn.discard();

    assertThat(scan(key, ALL)).isEmpty();
  }

  @Test
  void nextInstanceStartsFromTheLastSealedState() {
    commit(key, pairs -> pairs.put("a", "1"));
    begin(key).discard();
    release(key);

    commit(key, pairs -> pairs.put("b", "2"));
    release(key);

    requireContents();
  }

  @Test
  void storeThatWasNeverUsedCanBeReleased() {
    ObjectStore store = backend().store(key);

    store.release();

    commit(key, pairs -> pairs.put("a", "1"));
    requireContents();
  }

  @Test
  void consecutiveTurnsMayRunOnDifferentThreads() throws Exception {
    try (ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 20; round++) {
        String value = String.valueOf(round);
        virtual.submit(() -> commit(key, pairs -> pairs.put("virtual", value))).get();
        commit(key, pairs -> pairs.put("platform", value));
      }
    }
    requireContents();
  }

  @Test
  void turnsOfDifferentObjectsRunAtTheSameTime() throws Exception {
    int objects = 16;
    List<Future<?>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int number = 0; number < objects; number++) {
        ObjectStore store = backend().store(object(number));
        running.add(threads.submit(() -> countTo(100, store::beginTurn)));
      }
    }
    for (Future<?> each : running) {
      each.get();
    }

    for (int number = 0; number < objects; number++) {
      assertThat(scan(object(number), ALL)).containsExactly("count=100");
    }
  }

  @Test
  void thousandObjectsKeepTheirData() {
    for (int number = 0; number < 1_000; number++) {
      String value = String.valueOf(number);
      commit(object(number), pairs -> pairs.put("number", value));
      if (number % 2 == 0) {
        release(object(number));
      }
    }

    requireContents();
    process().closeAndReopen();
    requireContents();
  }

  @Test
  void eventsAreDirectlyBeforeTheBatchOfTheirTurn() {
    StoreTurn turn = begin(object(1));
    turn.put(bytes("a"), bytes("1"));
    long position = turn.seal(ByteBuffer.wrap(bytes("events")));

    assertThat(position).isEqualTo(journal().lastPosition());
    JournalRecord batch = journal().records().getLast();
    JournalRecord events = journal().records().get(journal().records().size() - 2);
    assertThat(batch.kind().isBatch()).isTrue();
    assertThat(events.position()).isEqualTo(position - 1);
    assertThat(events.kind()).isEqualTo(RecordKind.CHECKPOINT);
    assertThat(events.viewId()).isEqualTo(Journal.EVENTS_VIEW_ID);
    assertThat(events.key()).isEqualTo(object(1));
    assertThat(events.payload()).isEqualTo(ByteBuffer.wrap(bytes("events")));
  }

  @Test
  void turnWithoutWritesAppendsNoEvents() {
    long before = journal().lastPosition();
    StoreTurn turn = begin(object(1));
    turn.get(bytes("a"));

    assertThat(turn.seal(ByteBuffer.wrap(bytes("events")))).isEqualTo(Journal.START);
    assertThat(journal().lastPosition()).isEqualTo(before);
  }

  @Test
  void batchesWithEventsAreRecovered() {
    for (int value = 1; value <= 20; value++) {
      StoreTurn turn = begin(object(1));
      byte[] text = bytes(String.valueOf(value));
      turn.put(bytes("a"), text);
      turn.seal(ByteBuffer.wrap(text));
    }
    process().crashAt(journal().lastPosition());
    assertThat(get(object(1), "a")).isEqualTo(bytes("20"));
  }

  private static void countTo(int limit, Supplier<StoreTurn> beginTurn) {
    for (int next = 1; next <= limit; next++) {
      StoreTurn turn = beginTurn.get();
      String before = text(turn.get(bytes("count")));
      assertThat(before).isEqualTo(next == 1 ? null : String.valueOf(next - 1));
      turn.put(bytes("count"), bytes(String.valueOf(next)));
      turn.seal();
    }
  }
}
