package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.ALL;
import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/**
 * Compares random programs over three objects, with room for two open databases, with maps: turns
 * that are sealed, discarded or refused by the journal, saves, restarts and crashes.
 */
final class KeyValueModelTest {

  private static final int OBJECTS = 3;
  private static final byte[] LONE_SURROGATE = {(byte) 0xED, (byte) 0xA0, (byte) 0x80};

  /** What a step does. */
  enum Kind {
    SEAL,
    SEAL_AGAIN,
    DISCARD,
    REFUSED,
    SAVE,
    RELEASE,
    RESTART,
    CRASH
  }

  /** One write: a value for a key, or none to delete it; a null key deletes everything. */
  record Write(int key, int valueBytes) {}

  record Step(Kind kind, int object, List<Write> writes) {}

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
  void backendHoldsWhatTheModelHolds(
      @ForAll("programs") List<Step> program, @ForAll boolean inMemory) throws IOException {
    Path root = Files.createTempDirectory("holdfast-model");
    try (SqliteHost host = SqliteHost.of(root, 2, inMemory ? SqliteOptions.MEMORY_BYTES_MAX : 0)) {
      new Run(host).run(program);
    } finally {
      delete(root);
    }
  }

  /** One program on one host. */
  private static final class Run {
    private final SqliteHost host;
    private final List<NavigableMap<byte[], byte[]>> models = new ArrayList<>();
    private int version;

    Run(SqliteHost host) {
      this.host = host;
      for (int number = 0; number < OBJECTS; number++) {
        models.add(new TreeMap<>(Arrays::compareUnsigned));
      }
    }

    void run(List<Step> program) {
      for (Step step : program) {
        run(step);
        requireEqual(step.object());
      }
      for (int number = 0; number < OBJECTS; number++) {
        requireEqual(number);
      }
    }

    private void run(Step step) {
      switch (step.kind()) {
        case SEAL, SEAL_AGAIN -> seal(step);
        case DISCARD -> {
          StoreTurn turn = host.store(step.object()).beginTurn();
          write(step, turn, new TreeMap<>(models.get(step.object())));
          turn.discard();
        }
        case REFUSED -> refuse(step);
        case SAVE -> {
          host.backend.checkpointBefore(Long.MAX_VALUE);
          host.backend.awaitIdle();
          assertThat(host.isSaved()).isTrue();
        }
        case RELEASE -> host.store(step.object()).release();
        case RESTART -> host.restart();
        case CRASH -> host.crashAt(host.journal.lastPosition());
      }
    }

    private void seal(Step step) {
      NavigableMap<byte[], byte[]> model = new TreeMap<>(models.get(step.object()));
      StoreTurn turn = host.store(step.object()).beginTurn();
      write(step, turn, model);
      requireEqual(turn, model);
      long last = host.journal.lastPosition();
      long position = turn.seal();
      assertThat(position == Journal.START || position > last).isTrue();
      models.set(step.object(), model);
    }

    private void refuse(Step step) {
      StoreTurn turn = host.store(step.object()).beginTurn();
      turn.put(bytes("refused"), bytes(String.valueOf(version++)));
      write(step, turn, new TreeMap<>(models.get(step.object())));
      turn.put(bytes("refused"), bytes(String.valueOf(version++)));
      host.backend.awaitIdle();
      host.journal.refuseNextAppend(new DataDirectoryException(Path.of("data"), "full", null));
      assertThatExceptionOfType(DataDirectoryException.class).isThrownBy(turn::seal);
    }

    private void write(Step step, StoreTurn turn, NavigableMap<byte[], byte[]> model) {
      for (Write write : step.writes()) {
        byte[] key = key(write.key());
        if (write.valueBytes() >= 0) {
          byte[] value = value(write.valueBytes());
          turn.put(key, value);
          model.put(key, value);
        } else if (write.key() == 0) {
          turn.deleteAll();
          model.clear();
        } else {
          assertThat(turn.delete(key)).isEqualTo(model.remove(key) != null);
        }
      }
    }

    private byte[] value(int length) {
      byte[] value = new byte[length];
      Arrays.fill(value, (byte) version++);
      return value;
    }

    private void requireEqual(int number) {
      read(
          host.store(number),
          turn -> {
            requireEqual(turn, models.get(number));
            return true;
          });
    }

    private static void requireEqual(StoreTurn turn, NavigableMap<byte[], byte[]> model) {
      requireScan(turn, ALL, model);
      byte[] start = key(3);
      byte[] end = key(7);
      if (Arrays.compareUnsigned(start, end) < 0) {
        KeyRange range = new KeyRange(start, end, true, 2);
        NavigableMap<byte[], byte[]> part = model.subMap(start, true, end, false).descendingMap();
        NavigableMap<byte[], byte[]> expected = new TreeMap<>(part.comparator());
        part.entrySet().stream()
            .limit(2)
            .forEach(pair -> expected.put(pair.getKey(), pair.getValue()));
        requireScan(turn, range, expected);
      }
      for (int number = 0; number < 10; number++) {
        assertThat(turn.get(key(number))).isEqualTo(model.get(key(number)));
      }
    }

    private static void requireScan(
        StoreTurn turn, KeyRange range, NavigableMap<byte[], byte[]> expected) {
      try (StoreScan scan = turn.scan(range)) {
        expected.forEach(
            (key, value) -> {
              assertThat(scan.next()).isTrue();
              assertThat(scan.key()).isEqualTo(key);
              assertThat(scan.value()).isEqualTo(value);
            });
        assertThat(scan.next()).isFalse();
      }
    }
  }

  /** Keys of all kinds: empty, with NUL, not UTF-8, prefixes of each other. */
  private static byte[] key(int number) {
    return switch (number) {
      case 0 -> new byte[0];
      case 1 -> new byte[] {0};
      case 2 -> LONE_SURROGATE;
      case 3 -> bytes("a");
      case 4 -> bytes("a\0");
      case 5 -> bytes("ab");
      default -> bytes("key-" + number);
    };
  }

  @Provide
  Arbitrary<List<Step>> programs() {
    Arbitrary<Write> writes =
        Combinators.combine(
                Arbitraries.integers().between(0, 9),
                Arbitraries.frequency(
                    Tuple.of(6, 100), Tuple.of(3, -1), Tuple.of(2, 0), Tuple.of(2, 9_000)))
            .as(Write::new);
    Arbitrary<Step> steps =
        Combinators.combine(
                Arbitraries.of(Kind.class),
                Arbitraries.integers().between(0, OBJECTS - 1),
                writes.list().ofMaxSize(6))
            .as(Step::new);
    return steps.list().ofMaxSize(25);
  }

  private static void delete(Path root) throws IOException {
    try (Stream<Path> paths = Files.walk(root)) {
      for (Path path : (Iterable<Path>) paths.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(path);
      }
    }
  }
}
