package dev.holdfast.benchmarks.objects;

import dev.holdfast.ObjectContext;
import java.util.concurrent.Semaphore;

/** {@link Runaway} as a durable object, which signals when its statement is about to begin. */
final class RunawayObject implements Runaway {

  private static final String ENDLESS =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

  private final ObjectContext context;
  private final Semaphore begun;

  RunawayObject(ObjectContext context, Semaphore begun) {
    this.context = context;
    this.begun = begun;
  }

  @Override
  public void run() {
    begun.release();
    context.storage().sql().exec(ENDLESS).one();
  }
}
