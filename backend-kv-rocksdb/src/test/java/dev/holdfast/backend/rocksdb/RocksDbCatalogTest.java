package dev.holdfast.backend.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.batch.Change;
import dev.holdfast.backend.rocksdb.batch.SealedBatch;
import dev.holdfast.backend.rocksdb.batch.SealedBatches;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.AlarmEntry;
import dev.holdfast.spi.AlarmQuery;
import dev.holdfast.spi.AlarmRecord;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the index of alarms shows while others write. */
final class RocksDbCatalogTest {

  private static final String NAMESPACE = "n";

  @TempDir Path directory;

  private final InMemoryJournal journal = new InMemoryJournal();
  private final StorageThreads threads = new StorageThreads(2);
  private RocksDbBackend backend;

  @BeforeEach
  void open() {
    backend =
        RocksDbBackend.open(
            directory,
            new RocksDbBackend.Host(journal, threads, new VirtualClock()),
            RocksDbOptions.DEFAULT);
    backend.recover(journal);
  }

  @AfterEach
  void close() {
    backend.close();
    threads.close();
  }

  private static ObjectKey key(int number) {
    return new ObjectKey(NAMESPACE, unnamed(number));
  }

  private void setAlarm(int number, long dueMillis) {
    StoreTurn turn = backend.store(key(number)).beginTurn();
    turn.setAlarms(List.of(AlarmRecord.once("", dueMillis)));
    journal.awaitDurable(turn.seal());
  }

  private List<AlarmEntry> alarms(int limit) {
    return backend
        .catalog()
        .alarms(new AlarmQuery(NAMESPACE, AlarmRecord.State.PENDING, null, Long.MAX_VALUE, limit));
  }

  @Test
  void pageIsFullThoughItsAlarmsChangeMeanwhile() throws Exception {
    for (int number = 1; number < 20; number++) {
      setAlarm(number, 1_000 + number);
    }
    AtomicBoolean done = new AtomicBoolean();
    FutureTask<?> changes =
        new FutureTask<>(
            () -> {
              for (int step = 0; !done.get(); step++) {
                setAlarm(1, step % 2);
                backend.applier().applyDurable();
              }
              return null;
            });
    Thread.ofPlatform().start(changes);
    try {
      for (int step = 0; step < 3_000; step++) {
        assertThat(alarms(10)).hasSize(10);
      }
    } finally {
      done.set(true);
      changes.get();
    }
  }

  @Test
  void objectIsListedWhileItGetsItsName() throws Exception {
    int objects = 200;
    for (int number = 0; number < objects; number++) {
      put(unnamed(number));
    }
    FutureTask<?> names =
        new FutureTask<>(
            () -> {
              for (int number = 0; number < objects; number++) {
                ObjectId id = unnamed(number);
                put(ObjectId.of(id.toBytes(), "name-" + number));
                backend.applier().applyDurable();
              }
              return null;
            });
    ObjectQuery all = new ObjectQuery(NAMESPACE, null, null, 2 * objects);
    Thread.ofPlatform().start(names);
    do {
      assertThat(backend.catalog().objects(all)).hasSize(objects);
    } while (!names.isDone());
    names.get();
  }

  private static ObjectId unnamed(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    id[0] = (byte) number;
    return ObjectId.of(id, null);
  }

  private void put(ObjectId id) {
    StoreTurn turn = backend.store(new ObjectKey(NAMESPACE, id)).beginTurn();
    byte[] pair = {(byte) id.name().orElse("").length()};
    turn.put(pair, pair);
    journal.awaitDurable(turn.seal());
  }

  @Test
  void whatIsDurableIsReadOnceAnEarlierAppendHasEnded() throws Exception {
    SealedBatches.Append slow = backend.sealed().beginAppend(key(1));
    setAlarm(1, 5);
    FutureTask<List<AlarmEntry>> read = new FutureTask<>(() -> alarms(10));
    Thread reader = Thread.ofPlatform().start(read);

    assertThat(waits(reader)).isTrue();

    backend.sealed().withdraw(slow);
    assertThat(read.get()).hasSize(1);
  }

  /** {@return whether the thread waits for another one, instead of ending by itself} */
  private static boolean waits(Thread thread) {
    while (true) {
      switch (thread.getState()) {
        case WAITING, TIMED_WAITING -> {
          return true;
        }
        case TERMINATED -> {
          return false;
        }
        default -> Thread.yield();
      }
    }
  }

  @Test
  void indexThatLacksWhatTheDatabaseHasRefusedIsNotRead() {
    AtomicBoolean refuses = new AtomicBoolean();
    AtomicInteger reads = new AtomicInteger();
    List<Change> changes =
        new AbstractList<>() {
          @Override
          public Change get(int index) {
            // First its size is taken, and then it is written.
            if (refuses.get() && reads.incrementAndGet() == 2) {
              throw new IllegalStateException("The disk is full.");
            }
            return new Change(new byte[] {1}, new byte[] {1}, null);
          }

          @Override
          public int size() {
            return 1;
          }
        };
    setAlarm(1, 5);
    backend
        .sealed()
        .sealed(
            backend.sealed().beginAppend(key(1)),
            new SealedBatch(1, key(1), backend.database().prefixOf(key(1)), false, changes, null));
    refuses.set(true);

    assertThatThrownBy(() -> alarms(10))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("The disk is full.");

    refuses.set(false);
    assertThat(alarms(10)).hasSize(1);
  }
}
