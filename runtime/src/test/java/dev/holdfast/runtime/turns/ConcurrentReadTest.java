package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.ReadOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads with {@code allowConcurrency}: other events run while a read waits for the disk. */
class ConcurrentReadTest {

  private static final ReadOptions CONCURRENT = ReadOptions.DEFAULT.concurrent();

  private final Host host = Host.open();
  private final AtomicInteger diskReads = new AtomicInteger();

  @AfterEach
  void close() {
    host.close();
  }

  /** Code that uses the storage of the object. */
  private interface Use {
    Object on(ObjectStorage storage) throws Exception;
  }

  private Object use(Use use) throws Exception {
    return host.call("a", (_, context) -> use.on(context.storage()));
  }

  private void put(String key, long value) throws Exception {
    use(
        storage -> {
          storage.put(key, value);
          return value;
        });
  }

  private static Object read(ObjectStorage storage, String key, ReadOptions options) {
    return storage.get(key, Long.class, options).orElse(-1L);
  }

  /** While the disk is read, another event writes a value; it has ended when the read ends. */
  private void writeDuringDiskReads(String key, long value) {
    host.backend.readFromDisk(
        () -> {
          diskReads.incrementAndGet();
          try {
            host.start(
                    "a",
                    (_, context) -> {
                      context.storage().put(key, value);
                      return value;
                    })
                .get();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void otherEventsRunWhileTheDiskIsReadAndAreSeen() throws Exception {
    put("key", 1);
    writeDuringDiskReads("key", 2);

    assertThat(use(storage -> read(storage, "key", CONCURRENT))).isEqualTo(2L);
    assertThat(diskReads).hasValue(1);
  }

  @Test
  void eventsAreHeldByDefault() throws Exception {
    put("key", 1);
    writeDuringDiskReads("key", 2);

    assertThat(use(storage -> read(storage, "key", ReadOptions.DEFAULT))).isEqualTo(1L);
    assertThat(use(storage -> storage.list(ListOptions.ALL, Long.class)))
        .isEqualTo(Map.of("key", 1L));
    assertThat(diskReads).hasValue(0);
  }

  @Test
  void readFromTheCacheHoldsTheTurn() throws Exception {
    put("key", 1);
    use(storage -> read(storage, "key", ReadOptions.DEFAULT));
    writeDuringDiskReads("key", 2);

    assertThat(use(storage -> read(storage, "key", CONCURRENT))).isEqualTo(1L);
    assertThat(diskReads).hasValue(0);
  }

  @Test
  void writesBeforeAReadThatWaitsAreABatch() throws Exception {
    AtomicInteger batchesDuringRead = new AtomicInteger();
    host.backend.readFromDisk(
        () -> batchesDuringRead.set(Math.toIntExact(host.journal.lastPosition())));

    use(
        storage -> {
          storage.put("first", 1L);
          read(storage, "other", CONCURRENT);
          storage.put("second", 2L);
          return "done";
        });

    assertThat(batchesDuringRead).hasValue(1);
    assertThat(host.journal.lastPosition()).isEqualTo(2);
  }

  @Test
  void manyKeysAreReadAtOneMoment() throws Exception {
    put("a", 1);
    put("b", 1);
    writeDuringDiskReads("a", 2);

    assertThat(use(storage -> storage.get(List.of("a", "b"), Long.class, CONCURRENT)))
        .isEqualTo(Map.of("a", 2L, "b", 1L));
    assertThat(diskReads).as("one for each key, in one wait").hasValue(2);
  }

  @Test
  void otherEventsRunWhileAListIsRead() throws Exception {
    put("a", 1);
    writeDuringDiskReads("b", 2);

    ListOptions options = ListOptions.ALL.withRead(CONCURRENT);
    assertThat(use(storage -> storage.list(options, Long.class)))
        .isEqualTo(Map.of("a", 1L, "b", 2L));
    assertThat(use(storage -> storage.stream(options, Long.class).map(Map.Entry::getKey).toList()))
        .isEqualTo(List.of("a", "b"));
    assertThat(diskReads).hasValue(2);
  }

  @Test
  void transactionHoldsItsTurn() throws Exception {
    put("key", 1);
    writeDuringDiskReads("key", 2);

    assertThat(
            use(
                storage ->
                    storage.transaction(txn -> txn.get("key", Long.class, CONCURRENT).get())))
        .isEqualTo(1L);
    assertThat(use(storage -> storage.transactionSync(() -> read(storage, "absent", CONCURRENT))))
        .isEqualTo(-1L);
    assertThat(diskReads).hasValue(0);
  }

  @Test
  void diskThatFailsResetsTheObjectAndTheNextCallWorks() throws Exception {
    put("key", 1);
    host.backend.readFromDisk(
        () -> {
          throw new IllegalStateException("unreadable");
        });

    assertThatThrownBy(() -> use(storage -> read(storage, "key", CONCURRENT)))
        .isInstanceOf(InstanceResetException.class);

    host.backend.readFromDisk(null);
    assertThat(use(storage -> read(storage, "key", CONCURRENT))).isEqualTo(1L);
  }
}
