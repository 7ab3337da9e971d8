package dev.holdfast.backend.rocksdb;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A database with its mark and a journal, opened again and again. */
final class BoundDatabase {

  static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));

  final Path parent;
  InMemoryJournal journal = new InMemoryJournal(InMemoryJournal.Durability.ON_APPEND);
  private final StorageThreads threads;

  BoundDatabase(Path parent, StorageThreads threads) {
    this.parent = parent;
    this.threads = threads;
  }

  Path directory() {
    return parent.resolve("rocksdb");
  }

  Path mark() {
    return parent.resolve("rocksdb.flushed");
  }

  /** Opens the database as of the journal, recovers it and closes it. */
  void with(Consumer<RocksDbBackend> work) {
    journal = journal.prefix(journal.lastPosition()); // as after a restart
    try (RocksDbBackend backend =
        RocksDbBackend.open(
            directory(),
            new RocksDbBackend.Binding(mark(), journal),
            new RocksDbBackend.Host(journal, threads, new VirtualClock()),
            RocksDbOptions.DEFAULT.withApplyDelay(Duration.ofDays(1)))) {
      backend.recover(journal);
      work.accept(backend);
    }
  }

  /** Opens the database without its mark; not recovered. */
  RocksDbBackend openUnbound() {
    return RocksDbBackend.open(
        directory(),
        new RocksDbBackend.Host(journal, threads, new VirtualClock()),
        RocksDbOptions.DEFAULT);
  }

  /** Opens, puts each value under its own text, and closes. */
  void put(String... values) {
    with(backend -> put(backend, values));
  }

  static void put(RocksDbBackend backend, String... values) {
    for (String value : values) {
      StoreTurn turn = backend.store(KEY).beginTurn();
      turn.put(bytes(value), bytes(value));
      turn.seal();
    }
  }

  /** Opens, reads and closes. */
  boolean has(String value) {
    boolean[] found = new boolean[1];
    with(backend -> found[0] = get(backend, value) != null);
    return found[0];
  }

  static byte @Nullable [] get(RocksDbBackend backend, String value) {
    StoreTurn turn = backend.store(KEY).beginTurn();
    byte[] found = turn.get(bytes(value));
    turn.discard();
    return found;
  }

  /** Drops what the journal needs no more, as one without history does. */
  void dropRecords(RocksDbBackend backend) {
    backend.checkpointBefore(Long.MAX_VALUE);
    backend.applier().settle();
    journal.trimBefore(backend.lowWaterMark());
  }

  /** Opens, drops what the journal needs no more, and closes. */
  void dropRecords() {
    with(this::dropRecords);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
