package dev.holdfast.runtime.internal.turn;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A future that knows which execution it waits for, so that a circle that leads through it is seen.
 * Thread-safe.
 *
 * @param <T> the result
 */
public class AsyncOrigin<T extends @Nullable Object> extends CompletableFuture<T>
    implements Produced {

  private volatile @Nullable Execution producer;

  /** Creates a future that no execution works for yet. */
  public AsyncOrigin() {}

  @Override
  public final @Nullable Execution producer() {
    return producer;
  }

  @Override
  public final void setProducer(@Nullable Execution execution) {
    producer = execution;
  }
}
