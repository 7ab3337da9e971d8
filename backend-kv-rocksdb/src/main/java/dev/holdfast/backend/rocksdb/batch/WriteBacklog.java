package dev.holdfast.backend.rocksdb.batch;

import dev.holdfast.spi.ObjectKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The pending writes of all objects. Outlives the stores: an object that was evicted while its last
 * batch was pending reads the batch from here.
 *
 * <p>Thread-safe.
 */
public final class WriteBacklog {

  private final ConcurrentMap<ObjectKey, UnappliedWrites> objects = new ConcurrentHashMap<>();

  /** {@return the pending writes of an object; null if it has none} */
  public @Nullable UnappliedWrites of(ObjectKey key) {
    return objects.get(key);
  }

  public void add(SealedBatch batch) {
    objects.compute(
        batch.key(),
        (_, present) -> {
          UnappliedWrites pending = present == null ? new UnappliedWrites() : present;
          pending.add(batch);
          return pending;
        });
  }

  /** Removes a batch that the database has. */
  public void applied(SealedBatch batch) {
    objects.computeIfPresent(batch.key(), (_, pending) -> pending.applied(batch) ? null : pending);
  }
}
