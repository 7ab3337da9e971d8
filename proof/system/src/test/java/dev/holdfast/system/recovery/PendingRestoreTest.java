package dev.holdfast.system.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.system.recovery.RecoverableObjects.Engine;
import dev.holdfast.system.recovery.RecoverableObjects.Settings;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** History is dropped around a restore that was requested and not done yet. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PendingRestoreTest {

  private static final ObjectKey KEY = RecoverableObjects.object(1);
  private static final ObjectKey OTHER = RecoverableObjects.object(2);

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock();

  private RecoverableObjects open(Engine engine, long historyBytesMax) {
    return new RecoverableObjects(
        directory,
        engine,
        new Settings(clock, new FileDisk(), /* segmentBytes= */ 64 << 10, historyBytesMax));
  }

  private static byte[] value(int seed) {
    byte[] value = new byte[8_000];
    new Random(seed).nextBytes(value);
    return value;
  }

  private static String put(RecoverableObjects objects, ObjectKey key, ObjectStore store, int n) {
    String bookmark = objects.commit(key, store, turn -> turn.put(new byte[] {1}, value(n)));
    objects.journal.awaitDurable(objects.journal.lastPosition());
    return bookmark;
  }

  /** Writes to another object: each new segment starts a check for segments to delete. */
  private static void writeUntil(RecoverableObjects objects, BooleanSupplier condition) {
    ObjectStore other = objects.begin(OTHER);
    for (int i = 0; !condition.getAsBoolean(); i++) {
      put(objects, OTHER, other, i);
      Thread.yield(); // to the checking thread, which may be late by any time
    }
    other.release();
  }

  private static String contentOf(ObjectStore store, Engine engine) {
    return Content.withIndexes(store, engine == Engine.SQLITE).toString();
  }

  @ParameterizedTest
  @EnumSource
  void bookmarkThatTheWindowHasPassedIsRestoredIfThatWasAskedForInTime(Engine engine) {
    String expected;
    String late;
    try (RecoverableObjects objects = open(engine, Long.MAX_VALUE)) {
      ObjectStore store = objects.begin(KEY);
      String first = put(objects, KEY, store, 1);
      expected = contentOf(store, engine);
      put(objects, KEY, store, 2);
      late = first;
      long requested = objects.recovery.requestRestore(KEY, first).position();
      store.release();
      objects.journal.awaitDurable(requested);
      clock.advance(Duration.ofDays(31));
      long end = objects.journal.lastPosition();
      writeUntil(objects, () -> objects.journal.lastPosition() > end + 60);
      assertThat(objects.journal.history().oldestPosition()).isEqualTo(1);
    }
    clock.advance(Duration.ofDays(31));
    try (RecoverableObjects objects = open(engine, Long.MAX_VALUE)) {
      ObjectStore store = objects.begin(KEY);
      assertThat(contentOf(store, engine)).isEqualTo(expected);
      put(objects, KEY, store, 3);
      assertThatThrownBy(() -> objects.recovery.requestRestore(KEY, late))
          .isInstanceOfSatisfying(
              BookmarkException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_KEPT));
      clock.advance(Duration.ofDays(31));
      writeUntil(objects, () -> objects.journal.history().oldestPosition() > 1);
      store.release();
    }
  }

  @ParameterizedTest
  @EnumSource
  void bookmarkBeyondTheCapIsRestoredIfThatWasAskedForInTime(Engine engine) {
    String expected;
    try (RecoverableObjects objects = open(engine, /* historyBytesMax= */ 200 << 10)) {
      ObjectStore store = objects.begin(KEY);
      String first = put(objects, KEY, store, 1);
      expected = contentOf(store, engine);
      put(objects, KEY, store, 2);
      long requested = objects.recovery.requestRestore(KEY, first).position();
      store.release();
      objects.journal.awaitDurable(requested);
      writeUntil(objects, () -> objects.journal.history().bytes() > 800 << 10);
      assertThat(objects.journal.history().oldestPosition()).isEqualTo(1);
    }
    try (RecoverableObjects objects = open(engine, /* historyBytesMax= */ 0)) {
      objects.begin(KEY).release();
      ObjectStore store = objects.backend.store(KEY);
      assertThat(contentOf(store, engine)).isEqualTo(expected);
      store.release();
      writeUntil(objects, () -> objects.journal.history().oldestPosition() > 1);
    }
  }

  @ParameterizedTest
  @EnumSource
  void requestThatIsWithdrawnHoldsNothingBack(Engine engine) {
    try (RecoverableObjects objects = open(engine, /* historyBytesMax= */ 200 << 10)) {
      ObjectStore store = objects.begin(KEY);
      String first = put(objects, KEY, store, 1);
      put(objects, KEY, store, 2);
      String expected = contentOf(store, engine);
      objects.recovery.requestRestore(KEY, first);
      objects.recovery.withdrawRestore(KEY);
      store.release();
      writeUntil(objects, () -> objects.journal.history().oldestPosition() > 4);
      store = objects.begin(KEY);
      assertThat(contentOf(store, engine)).isEqualTo(expected);
      store.release();
    }
  }
}
