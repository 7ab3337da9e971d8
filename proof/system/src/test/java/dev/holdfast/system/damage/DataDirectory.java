package dev.holdfast.system.damage;

import dev.holdfast.ObjectId;
import dev.holdfast.backend.rocksdb.RocksDbBackend;
import dev.holdfast.backend.rocksdb.RocksDbOptions;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.HistoryOptions;
import dev.holdfast.journal.JournalOptions;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A journal and a RocksDB database beside it, wired as a runtime wires them, with small segments.
 *
 * @param path the directory
 * @param keepsHistory whether the journal keeps what recovery does not need
 */
record DataDirectory(Path path, boolean keepsHistory) {

  private static final ObjectKey KEY = new ObjectKey("n", ObjectId.of(new byte[32], null));

  Path rocksDb() {
    return path.resolve("rocksdb");
  }

  Path mark() {
    return path.resolve("rocksdb.flushed");
  }

  /** Opens, works and closes. */
  void with(Consumer<RocksDbBackend> work) {
    VirtualClock time = new VirtualClock();
    JournalOptions options =
        JournalOptions.DEFAULT
            .withSegmentBytes(8 << 10)
            .withHeldSegmentsMax(1)
            .withHistory(
                keepsHistory
                    ? new HistoryOptions(Duration.ofDays(1).toMillis(), Long.MAX_VALUE)
                    : HistoryOptions.NONE);
    try (StorageThreads threads = new StorageThreads(1);
        FileJournal journal = FileJournal.open(path.resolve("journal"), time, options);
        RocksDbBackend backend =
            RocksDbBackend.open(
                rocksDb(),
                new RocksDbBackend.Binding(mark(), journal.recoveryLog()),
                new RocksDbBackend.Host(journal, threads, time),
                RocksDbOptions.DEFAULT.withApplyDelay(Duration.ZERO))) {
      backend.recover(journal.recoveryLog());
      journal.start(List.of(backend));
      work.accept(backend);
    }
  }

  /** Opens, writes until a journal without history has dropped its segments, and closes. */
  void write(String name) {
    with(
        backend -> {
          SplittableRandom random = new SplittableRandom(1);
          for (int i = 0; i < 20; i++) {
            byte[] value = new byte[1_000];
            random.nextBytes(value); // not to be compressed
            StoreTurn turn = backend.store(KEY).beginTurn();
            turn.put((name + i).getBytes(StandardCharsets.UTF_8), value);
            turn.seal();
          }
        });
    with(_ -> {}); // the journal checks its segments when it is opened
  }

  /** Opens, reads the values of all names, and closes. */
  boolean has(String... names) {
    boolean[] all = {true};
    with(
        backend -> {
          StoreTurn turn = backend.store(KEY).beginTurn();
          for (String name : names) {
            for (int i = 0; i < 20; i++) {
              all[0] &= turn.get((name + i).getBytes(StandardCharsets.UTF_8)) != null;
            }
          }
          turn.discard();
        });
    return all[0];
  }

  DataDirectory copyTo(Path target) {
    copy(path, target);
    return new DataDirectory(target, keepsHistory);
  }

  static void copy(Path from, Path to) {
    delete(to);
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path source : paths.toList()) {
        Path target = to.resolve(from.relativize(source).toString());
        if (Files.isDirectory(source)) {
          Files.createDirectories(target);
        } else {
          Files.copy(source, target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void delete(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(path)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
