package dev.holdfast.backend.sqlite.wal;

import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Objects with batches that their database files do not hold durably, and the journal position from
 * which recovery would need their records. An object that is in step with its file has no entry.
 *
 * <p>Thread-safe. An object is changed by one thread at a time, except for {@link #saved}, which
 * may run concurrently with a turn.
 */
public final class Unsaved {

  /**
   * The state of one object. Immutable.
   *
   * @param firstPosition recovery would need the object's records from here on
   * @param lastPosition its last batch; less than {@code firstPosition} if there is none yet
   * @param entryIsNew whether the directory may not yet durably contain the file's entry
   * @param isAppending whether a batch may get its position at this moment
   */
  public record State(
      long firstPosition, long lastPosition, boolean entryIsNew, boolean isAppending) {

    State appending() {
      return new State(firstPosition, lastPosition, entryIsNew, true);
    }

    State appended(long position) {
      assert isAppending && position > lastPosition;
      return new State(firstPosition, position, entryIsNew, false);
    }

    @Nullable State notAppended() {
      return hasBatches() ? new State(firstPosition, lastPosition, entryIsNew, false) : null;
    }

    @Nullable State saved(long position) {
      if (lastPosition <= position && !isAppending) {
        return null;
      }
      long first = Math.max(firstPosition, position + 1);
      return new State(first, lastPosition, false, isAppending);
    }

    /** {@return its last batch that is not saved; {@link Journal#START} if there is none} */
    public long lastBatch() {
      return hasBatches() ? lastPosition : Journal.START;
    }

    private boolean hasBatches() {
      return lastPosition >= firstPosition;
    }
  }

  private final Map<ObjectKey, State> states = new ConcurrentHashMap<>();

  /**
   * Records that a batch is about to be appended. Call it before the append: between giving the
   * record its position and returning from the append, the journal may already ask for the
   * low-water mark.
   *
   * @param afterPosition a position before the batch
   * @param entryMayBeNew whether the directory may not yet durably contain the file's entry
   * @return the last batch of the object that is not saved; {@link Journal#START} if there is none
   */
  public long appending(ObjectKey key, long afterPosition, boolean entryMayBeNew) {
    State appending =
        states.compute(
            key,
            (_, old) ->
                old != null
                    ? old.appending()
                    : new State(afterPosition + 1, afterPosition, entryMayBeNew, true));
    return appending.lastBatch();
  }

  /** {@return the last batch of an object that is not saved; {@link Journal#START} if none} */
  public long lastBatch(ObjectKey key) {
    State state = states.get(key);
    return state == null ? Journal.START : state.lastBatch();
  }

  /** Records the position of the appended batch. */
  public void appended(ObjectKey key, long position) {
    states.computeIfPresent(key, (_, old) -> old.appended(position));
  }

  /** Records that the batch was not appended. */
  public void notAppended(ObjectKey key) {
    states.computeIfPresent(key, (_, old) -> old.notAppended());
  }

  /** Records what recovery has written to a file without making it durable. */
  public void recovered(ObjectKey key, long firstPosition, long lastPosition) {
    states.put(key, new State(firstPosition, lastPosition, true, false));
  }

  /** Records that the file durably holds everything up to a position. */
  public void saved(ObjectKey key, long position) {
    states.computeIfPresent(key, (_, old) -> old.saved(position));
  }

  /** {@return the state of an object; null if its file is in step} */
  public @Nullable State state(ObjectKey key) {
    return states.get(key);
  }

  /** {@return how many objects are out of step with their files} */
  public int count() {
    return states.size();
  }

  /** {@return the lowest position that recovery would need; the largest long if none} */
  public long lowestPosition() {
    long lowest = Long.MAX_VALUE;
    for (State state : states.values()) {
      lowest = Math.min(lowest, state.firstPosition());
    }
    return lowest;
  }

  /** {@return the objects that need records before a position} */
  public List<ObjectKey> needing(long beforePosition) {
    List<ObjectKey> keys = new ArrayList<>();
    states.forEach(
        (key, state) -> {
          if (state.firstPosition() < beforePosition) {
            keys.add(key);
          }
        });
    return keys;
  }
}
