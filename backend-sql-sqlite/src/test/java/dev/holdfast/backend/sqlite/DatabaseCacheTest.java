package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.backend.sqlite.binding.SqliteConnection;
import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.testkit.InMemoryJournal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DatabaseCacheTest {

  private static final int OBJECTS = 40;
  private static final int TURNS = 10;

  @TempDir Path root;

  /** Only one of the threads that wait for room is woken at a time: none may be forgotten. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void manyObjectsTakeTurnsWithTwoOpenDatabases() throws Exception {
    try (SqliteHost host = new SqliteHost(root, 2)) {
      List<Future<?>> ends = new ArrayList<>();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        for (int number = 1; number <= OBJECTS; number++) {
          ObjectStore store = host.store(number);
          ends.add(
              threads.submit(
                  () -> {
                    for (int turns = 0; turns < TURNS; turns++) {
                      byte[] value = bytes("" + turns);
                      commit(store, turn -> turn.put(bytes("a"), value));
                    }
                  }));
        }
        for (Future<?> end : ends) {
          end.get();
        }
      }
      for (int number = 1; number <= OBJECTS; number++) {
        assertThat(get(host.store(number), "a")).isEqualTo(bytes("" + (TURNS - 1)));
        assertThat(host.backend.isOpening(Objects.object(number))).isFalse();
      }
    }
  }

  /** Alarms do not start any faster when the storage is slow. */
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void objectIsOpeningWhileItsFileIsOpenedAndNotAfterThat() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    SqliteLibrary slow =
        new SqliteLibrary() {
          @Override
          public SqliteConnection open(Path file) throws SqliteException {
            return SqliteLibrary.jdbc().open(file);
          }

          @Override
          public SqliteConnection open(byte[] image) throws SqliteException {
            begun.countDown();
            awaitUninterruptibly(goOn);
            throw new SqliteException(14, "SQLITE_CANTOPEN", "injected", null);
          }
        };
    try (SqliteHost host =
            new SqliteHost(
                root,
                2,
                new SqliteBackend.Access(new FileDisk(), slow),
                InMemoryJournal.Durability.ON_WAIT);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      ObjectStore store = host.store(1);
      Future<?> turn = threads.submit(() -> commit(store, open -> open.put(bytes("a"), bytes(""))));
      begun.await();
      assertThat(host.backend.isOpening(Objects.object(1))).isTrue();
      assertThat(host.backend.isOpening(Objects.object(2))).isFalse();

      goOn.countDown();
      assertThatExceptionOfType(ExecutionException.class).isThrownBy(turn::get);
      assertThat(host.backend.isOpening(Objects.object(1))).isFalse();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
