package dev.holdfast.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.benchmarks.cluster.Load.Seen;
import dev.holdfast.benchmarks.objects.Entries;
import dev.holdfast.errors.DataDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Callers that go on, whatever fails. */
class ClusterLoadTest {

  /** Its second call fails. */
  private static final class Flaky implements Entries {
    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public void put(long id, byte[] value) {
      if (calls.incrementAndGet() == 2) {
        throw new DataDirectoryException(Path.of("gone"), "The owner is gone", null);
      }
    }

    @Override
    public long size(long id) {
      return 0;
    }
  }

  @Test
  void loadGoesOnAfterAFailureAndSaysWhatItHasSeen() throws Exception {
    Load load = Load.begin(List.of(new Flaky(), new Flaky()), 2);
    CountDownLatch first = new CountDownLatch(1);
    load.mark(first::countDown);
    first.await();
    CountDownLatch second = new CountDownLatch(1);
    load.mark(second::countDown);
    second.await();
    Seen seen = load.end();

    assertThat(seen.measured().operations()).isGreaterThan(1);
    assertThat(seen.failures()).isLessThanOrEqualTo(2);
    assertThat(seen.gapNanos()).isGreaterThanOrEqualTo(seen.measured().p50Nanos() / 2);
    assertThat(Seen.ofWords(("ended " + seen).split(" ", -1))).isEqualTo(seen);
  }
}
