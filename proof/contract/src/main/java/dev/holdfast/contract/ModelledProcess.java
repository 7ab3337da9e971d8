package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs a program on a backend and on maps, and compares their results at every step.
 *
 * <p>Confined to the thread that runs the test.
 */
final class ModelledProcess {

  /** Programs name their objects from 1 to this. */
  static final int OBJECTS = 3;

  private static final HexFormat HEX = HexFormat.of();

  private final BackendProcess process;

  /** The sealed state; the maps are immutable, a seal puts a new one. */
  private final Map<ObjectKey, NavigableMap<byte[], byte[]>> sealed = new HashMap<>();

  /** The sealed state after each position of the journal. */
  private final NavigableMap<Long, Map<ObjectKey, NavigableMap<byte[], byte[]>>> history =
      new TreeMap<>(Map.of(Journal.START, Map.of()));

  private final Map<ObjectKey, ModelledTurn> open = new HashMap<>();

  ModelledProcess(BackendProcess process) {
    this.process = process;
  }

  void run(List<ProgramStep> program) {
    program.forEach(this::step);
    requireEqual();
    step(new ProgramStep.Crash(100));
    requireEqual();
  }

  private void step(ProgramStep step) {
    switch (step) {
      case ProgramStep.Put put -> put(put);
      case ProgramStep.Get get -> get(get);
      case ProgramStep.Delete delete -> delete(delete);
      case ProgramStep.DeleteAll(int object) -> deleteAll(object);
      case ProgramStep.Scan scan -> scan(scan);
      case ProgramStep.OpenSavepoint(int object) -> openSavepoint(object);
      case ProgramStep.ReleaseSavepoint(int object) -> releaseSavepoint(object);
      case ProgramStep.RollbackToSavepoint(int object) -> rollbackToSavepoint(object);
      case ProgramStep.Seal(int object) -> seal(object);
      case ProgramStep.SealOnFullDisk(int object) -> sealOnFullDisk(object);
      case ProgramStep.Discard(int object) -> discard(BackendFixture.object(object));
      case ProgramStep.Release(int object) -> release(BackendFixture.object(object));
      case ProgramStep.Crash(int keptPercent) -> crash(keptPercent);
      case ProgramStep.Reopen() -> reopen();
      case ProgramStep.Trim() -> process.trimToLowWaterMark();
    }
  }

  private void put(ProgramStep.Put put) {
    ModelledTurn turn = turn(put.object());
    byte[] value = new byte[put.size()];
    Arrays.fill(value, (byte) put.number());
    if (put.size() >= Integer.BYTES) {
      ByteBuffer.wrap(value).putInt(put.number());
    }
    turn.turn.put(BackendFixture.bytes(put.key()), value);
    turn.expected.put(BackendFixture.bytes(put.key()), value);
  }

  private void get(ProgramStep.Get get) {
    ModelledTurn turn = turn(get.object());
    byte[] key = BackendFixture.bytes(get.key());
    assertThat(turn.turn.get(key)).as("%s", get).isEqualTo(turn.expected.get(key));
  }

  private void delete(ProgramStep.Delete delete) {
    ModelledTurn turn = turn(delete.object());
    byte[] key = BackendFixture.bytes(delete.key());
    assertThat(turn.turn.delete(key)).as("%s", delete).isEqualTo(turn.expected.remove(key) != null);
  }

  private void deleteAll(int object) {
    ModelledTurn turn = turn(object);
    turn.turn.deleteAll();
    turn.expected.clear();
  }

  private void scan(ProgramStep.Scan scan) {
    ModelledTurn turn = turn(scan.object());
    KeyRange range =
        new KeyRange(parse(scan.start()), parse(scan.end()), scan.reverse(), scan.limit());
    assertThat(read(turn.turn, range)).as("%s", scan).isEqualTo(select(turn.expected, range));
  }

  private void openSavepoint(int object) {
    ModelledTurn turn = turn(object);
    turn.turn.openSavepoint();
    NavigableMap<byte[], byte[]> copy = new TreeMap<>(BackendFixture.KEY_ORDER);
    copy.putAll(turn.expected);
    turn.savepoints.push(copy);
  }

  private void releaseSavepoint(int object) {
    ModelledTurn turn = turn(object);
    if (!turn.savepoints.isEmpty()) {
      turn.turn.releaseSavepoint();
      turn.savepoints.pop();
    }
  }

  private void rollbackToSavepoint(int object) {
    ModelledTurn turn = turn(object);
    if (!turn.savepoints.isEmpty()) {
      turn.turn.rollbackToSavepoint();
      turn.expected.clear();
      turn.expected.putAll(turn.savepoints.pop());
    }
  }

  private void seal(int object) {
    ModelledTurn turn = open.remove(BackendFixture.object(object));
    if (turn != null) {
      sealed(turn, turn.turn.seal());
    }
  }

  private void sealOnFullDisk(int object) {
    ModelledTurn turn = open.remove(BackendFixture.object(object));
    if (turn == null) {
      return;
    }
    process.journal().refuseNextAppend(new DataDirectoryException(Path.of("data"), "full", null));
    try {
      // A turn without changes appends nothing and so does not notice the full disk.
      sealed(turn, turn.turn.seal());
    } catch (DataDirectoryException e) {
      assertThat(e).hasMessageContaining("full");
    } finally {
      process.journal().refuseNextAppend(null);
    }
  }

  private void sealed(ModelledTurn turn, long position) {
    if (position == Journal.START) {
      assertThat(texts(turn.expected))
          .as("a turn of %s that appended nothing", turn.key)
          .isEqualTo(texts(sealed(turn.key)));
      return;
    }
    sealed.put(turn.key, turn.expected);
    history.put(position, new HashMap<>(sealed));
  }

  private void discard(ObjectKey key) {
    ModelledTurn turn = open.remove(key);
    if (turn != null) {
      turn.turn.discard();
    }
  }

  private void release(ObjectKey key) {
    discard(key);
    process.release(key);
  }

  private void crash(int keptPercent) {
    long durable = process.journal().durablePosition();
    long last = process.journal().lastPosition();
    long kept = durable + (last - durable) * keptPercent / 100;
    open.clear();
    process.crashAt(kept);
    history.tailMap(kept, false).clear();
    sealed.clear();
    sealed.putAll(history.lastEntry().getValue());
  }

  private void reopen() {
    List.copyOf(open.keySet()).forEach(this::discard);
    process.closeAndReopen();
  }

  private void requireEqual() {
    List.copyOf(open.keySet()).forEach(this::discard);
    for (int object = 1; object <= OBJECTS; object++) {
      ObjectKey key = BackendFixture.object(object);
      StoreTurn turn = process.begin(key);
      assertThat(read(turn, BackendFixture.ALL))
          .as("contents of %s", key)
          .isEqualTo(texts(sealed(key)));
      turn.discard();
    }
  }

  private ModelledTurn turn(int object) {
    return open.computeIfAbsent(
        BackendFixture.object(object),
        key -> {
          NavigableMap<byte[], byte[]> expected = new TreeMap<>(BackendFixture.KEY_ORDER);
          expected.putAll(sealed(key));
          return new ModelledTurn(key, process.begin(key), expected, new ArrayDeque<>());
        });
  }

  private NavigableMap<byte[], byte[]> sealed(ObjectKey key) {
    return sealed.getOrDefault(key, new TreeMap<>(BackendFixture.KEY_ORDER));
  }

  private static List<String> read(StoreTurn turn, KeyRange range) {
    List<String> found = new ArrayList<>();
    try (StoreScan scan = turn.scan(range)) {
      while (scan.next()) {
        found.add(text(scan.key(), scan.value()));
      }
    }
    return found;
  }

  /** The range, decided pair by pair, so that it does not depend on the range logic of a map. */
  private static List<String> select(NavigableMap<byte[], byte[]> pairs, KeyRange range) {
    byte[] start = range.startInclusive();
    byte[] end = range.endExclusive();
    List<String> selected = new ArrayList<>();
    pairs.forEach(
        (key, value) -> {
          if ((start == null || Arrays.compareUnsigned(key, start) >= 0)
              && (end == null || Arrays.compareUnsigned(key, end) < 0)) {
            selected.add(text(key, value));
          }
        });
    List<String> ordered = range.reverse() ? selected.reversed() : selected;
    return List.copyOf(ordered.subList(0, Math.min(range.limit(), ordered.size())));
  }

  private static List<String> texts(NavigableMap<byte[], byte[]> pairs) {
    return select(pairs, BackendFixture.ALL);
  }

  /** A pair, short enough for a report: large values repeat their first byte. */
  private static String text(byte[] key, byte[] value) {
    return HEX.formatHex(key)
        + "="
        + HEX.formatHex(value, 0, Math.min(8, value.length))
        + " "
        + value.length
        + "/"
        + Arrays.hashCode(value);
  }

  private static byte @Nullable [] parse(@Nullable String hex) {
    return hex == null ? null : HEX.parseHex(hex);
  }

  /** An open turn, its expected content, and the expected content after each rollback. */
  private record ModelledTurn(
      ObjectKey key,
      StoreTurn turn,
      NavigableMap<byte[], byte[]> expected,
      Deque<NavigableMap<byte[], byte[]>> savepoints) {}
}
