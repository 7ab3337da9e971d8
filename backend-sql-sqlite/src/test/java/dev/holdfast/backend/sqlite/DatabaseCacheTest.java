package dev.holdfast.backend.sqlite;

import static dev.holdfast.backend.sqlite.Objects.bytes;
import static dev.holdfast.backend.sqlite.Objects.commit;
import static dev.holdfast.backend.sqlite.Objects.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.ObjectStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  /** Only one of those who wait for room is woken at a time: none may be forgotten. */
  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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
      }
    }
  }
}
