package dev.holdfast.runtime.internal.storage;

import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.storage.GatedKeyValues.Pair;
import dev.holdfast.spi.KeyRange;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.StorageLimits;
import java.lang.reflect.Type;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The pairs of a range, a part at a time. Between two parts it holds only the start of the next one
 * and no scan, so it survives the end of a turn and needs no closing.
 *
 * <p>Confined to the object's turn.
 *
 * @param <T> the Java type of the values
 */
final class PairStream<T> extends AbstractSpliterator<Map.Entry<String, T>> {

  private final GatedKeyValues storage;
  private final ReadOptions options;
  private final Type type;
  private final Queue<Pair> part = new ArrayDeque<>();

  private KeyRange rest;
  private int nextPairs = RuntimeBounds.FIRST_PAIRS;
  private boolean exhausted;

  PairStream(GatedKeyValues storage, KeyRange range, ReadOptions options, Type type) {
    super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.DISTINCT);
    this.storage = storage;
    this.rest = range;
    this.options = options;
    this.type = type;
  }

  Stream<Map.Entry<String, T>> stream() {
    return StreamSupport.stream(this, /* parallel= */ false);
  }

  @Override
  @SuppressWarnings({"unchecked", "NullAway"}) // a stored null is an entry whose value is null
  public boolean tryAdvance(Consumer<? super Map.Entry<String, T>> action) {
    storage.admit("list");
    if (part.isEmpty() && !exhausted) {
      readPart();
    }
    Pair pair = part.poll();
    if (pair == null) {
      return false;
    }
    String key = StorageKeys.decode(pair.key());
    action.accept(new SimpleImmutableEntry<>(key, (T) storage.decode(key, pair.value(), type)));
    return true;
  }

  private void readPart() {
    int count = Math.min(nextPairs, rest.limit());
    KeyRange next = new KeyRange(rest.startInclusive(), rest.endExclusive(), rest.reverse(), count);
    storage.prefetch(options, turn -> turn.prefetch(next));
    List<Pair> read = storage.scan(next);
    part.addAll(read);
    int left = rest.limit() == Integer.MAX_VALUE ? rest.limit() : rest.limit() - read.size();
    nextPairs = Math.min(StorageLimits.STREAM_PAIRS_MAX, nextPairs * 4);
    if (read.size() < count || left == 0) {
      exhausted = true;
      return;
    }
    byte[] last = read.getLast().key();
    rest =
        rest.reverse()
            ? new KeyRange(rest.startInclusive(), last, true, left)
            : new KeyRange(StorageKeys.after(last), rest.endExclusive(), false, left);
  }
}
