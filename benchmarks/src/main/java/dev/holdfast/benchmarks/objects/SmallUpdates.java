package dev.holdfast.benchmarks.objects;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Small commits of one object, many at a time: they share syncs. */
public final class SmallUpdates {

  private static final int CALLERS = 64;

  private SmallUpdates() {}

  public static void run(Past object, int rows, int commits) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> shares = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        int number = caller;
        shares.add(
            callers.submit(
                () -> {
                  SplittableRandom random = new SplittableRandom(number);
                  for (int i = number; i < commits; i += CALLERS) {
                    byte[] value = new byte[100];
                    random.nextBytes(value);
                    object.update(random.nextLong(rows), value);
                  }
                }));
      }
      for (Future<?> share : shares) {
        share.get();
      }
    }
  }
}
