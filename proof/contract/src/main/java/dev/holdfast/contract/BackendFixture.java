package dev.holdfast.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreScan;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A backend on a journal in memory that can crash, and the expected content of every object after
 * every position of the journal.
 *
 * <p>Confined to the thread that runs the test.
 */
abstract class BackendFixture {

  static final Comparator<byte[]> KEY_ORDER = Arrays::compareUnsigned;

  /** All keys, in ascending order. */
  static final KeyRange ALL = new KeyRange(null, null, false, Integer.MAX_VALUE);

  @TempDir private Path temporaryDirectory;

  private final Map<ObjectKey, NavigableMap<String, String>> contents = new LinkedHashMap<>();
  private final NavigableMap<Long, Map<ObjectKey, NavigableMap<String, String>>> history =
      new TreeMap<>();
  private @Nullable BackendProcess running;

  /**
   * Opens the backend under test over a directory that is empty, or in the state after a crash or
   * close of the same backend. The suite then calls {@link StorageBackend#recover} and later {@link
   * StorageBackend#close}, possibly long after a simulated crash.
   *
   * @param journal receives the batches
   * @param directory the directory for the files; used by this backend only
   * @return the backend, not yet recovered
   */
  protected abstract StorageBackend openBackend(Journal journal, Path directory);

  /**
   * Waits until the backend has no background work, so that its files can be copied. The default
   * does nothing.
   *
   * @param backend the backend that {@link #openBackend} returned
   */
  protected void awaitBackgroundWork(StorageBackend backend) {}

  @BeforeEach
  void openEmpty() {
    running = new BackendProcess(this::openBackend, this::awaitBackgroundWork, temporaryDirectory);
  }

  @AfterEach
  void closeAll() {
    process().close();
  }

  final BackendProcess process() {
    return Objects.requireNonNull(running, "the test has not begun");
  }

  final InMemoryJournal journal() {
    return process().journal();
  }

  final StorageBackend backend() {
    return process().backend();
  }

  final StoreTurn begin(ObjectKey key) {
    return process().begin(key);
  }

  final void release(ObjectKey key) {
    process().release(key);
  }

  /** Ends the process now; records after the position are lost. */
  final void crashAt(long position) {
    process().crashAt(position);
    forgetAfter(position);
  }

  final void requireEveryCrashRecovers() {
    process().afterEveryCrash(this::requireContentsAt);
  }

  /** Runs work in a turn and seals it; does not record the expected content. */
  final long turn(ObjectKey key, Consumer<StoreTurn> work) {
    StoreTurn turn = begin(key);
    work.accept(turn);
    return turn.seal();
  }

  /** Reads in a separate turn. */
  final <T> T read(ObjectKey key, Function<StoreTurn, T> reader) {
    StoreTurn turn = begin(key);
    try {
      return reader.apply(turn);
    } finally {
      turn.discard();
    }
  }

  /** Reads one value in a separate turn. */
  final byte @Nullable [] get(ObjectKey key, String name) {
    StoreTurn turn = begin(key);
    try {
      return turn.get(bytes(name));
    } finally {
      turn.discard();
    }
  }

  /**
   * Runs work in a turn, seals it, and records the expected content of the object.
   *
   * @param work the work, applied to both the turn and the expected content
   */
  final long commit(ObjectKey key, Consumer<Pairs> work) {
    NavigableMap<String, String> expected = new TreeMap<>(contentsOf(key));
    long position = turn(key, turn -> work.accept(new Pairs(turn, expected)));
    assertThat(position).isGreaterThan(Journal.START);
    contents.put(key, expected);
    history.put(position, new LinkedHashMap<>(contents));
    return position;
  }

  final void requireContents() {
    requireContentsAt(journal().lastPosition());
  }

  /** Compares every object with its expected content at a position. */
  final void requireContentsAt(long position) {
    Map.Entry<Long, Map<ObjectKey, NavigableMap<String, String>>> then =
        history.floorEntry(position);
    for (ObjectKey key : contents.keySet()) {
      Map<String, String> expected =
          then == null ? Map.of() : then.getValue().getOrDefault(key, new TreeMap<>());
      assertThat(scan(key, ALL))
          .as("contents of %s after record %s", key, position)
          .isEqualTo(pairs(expected));
    }
  }

  /** Reads a range in a separate turn, as {@code key=value} texts. */
  final List<String> scan(ObjectKey key, KeyRange range) {
    return read(key, turn -> scan(turn, range));
  }

  static List<String> scan(StoreTurn turn, KeyRange range) {
    List<String> found = new ArrayList<>();
    try (StoreScan scan = turn.scan(range)) {
      while (scan.next()) {
        found.add(text(scan.key()) + "=" + text(scan.value()));
      }
    }
    return found;
  }

  static ObjectKey object(int number) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    ByteBuffer.wrap(id).putInt(number * 0x9E3779B1).putInt(28, number);
    return new ObjectKey("contract", ObjectId.of(id, null));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static @Nullable String text(byte @Nullable [] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static List<String> pairs(Map<String, String> expected) {
    NavigableMap<byte[], String> ordered = new TreeMap<>(KEY_ORDER);
    expected.forEach((key, value) -> ordered.put(bytes(key), key + "=" + value));
    return List.copyOf(ordered.values());
  }

  private NavigableMap<String, String> contentsOf(ObjectKey key) {
    return contents.computeIfAbsent(key, _ -> new TreeMap<>());
  }

  private void forgetAfter(long position) {
    history.tailMap(position, false).clear();
    Map.Entry<Long, Map<ObjectKey, NavigableMap<String, String>>> last = history.lastEntry();
    contents.replaceAll(
        (key, _) ->
            last == null ? new TreeMap<>() : last.getValue().getOrDefault(key, new TreeMap<>()));
  }

  /** Writes to a turn and to the expected content. */
  static final class Pairs {
    private final StoreTurn turn;
    private final Map<String, String> expected;

    Pairs(StoreTurn turn, Map<String, String> expected) {
      this.turn = turn;
      this.expected = expected;
    }

    StoreTurn turn() {
      return turn;
    }

    Pairs put(String key, String value) {
      turn.put(bytes(key), bytes(value));
      expected.put(key, value);
      return this;
    }

    Pairs delete(String key) {
      assertThat(turn.delete(bytes(key))).isEqualTo(expected.remove(key) != null);
      return this;
    }

    Pairs deleteAll() {
      turn.deleteAll();
      expected.clear();
      return this;
    }
  }
}
