package dev.holdfast.benchmarks.objects;

import dev.holdfast.ObjectContext;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.util.HashMap;
import java.util.Map;

/** {@link Pairs} as a durable object. Owned by its turns. */
public final class PairsObject implements Pairs {

  /** The key in the middle of the filled pairs. */
  public static final String MIDDLE = "pair050000";

  private static final int VALUE_BYTES = 100;
  private static final int PUT_PAIRS_MAX = 100;

  private final ObjectStorage storage;
  private long written;

  public PairsObject(ObjectContext context) {
    storage = context.storage();
  }

  public static String pair(int number) {
    return "pair%06d".formatted(number);
  }

  @Override
  public void put(String key, byte[] value) {
    storage.put(key, value);
  }

  @Override
  public long putMany(int count) {
    for (int i = 0; i < count; i++) {
      storage.put("k" + i, ++written);
    }
    return written;
  }

  @Override
  public long getHot(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += storage.get("k0", Long.class).orElse(0L);
    }
    return sum;
  }

  @Override
  public long getAbsent(int count) {
    long found = 0;
    for (int i = 0; i < count; i++) {
      found += storage.get("absent", Long.class).isPresent() ? 1 : 0;
    }
    return found;
  }

  @Override
  public long getMany(int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += storage.get("k" + i, Long.class).orElse(0L);
    }
    return sum;
  }

  @Override
  public void fill(int count) {
    if (storage.get(pair(count - 1), byte[].class).isPresent()) {
      return;
    }
    Map<String, byte[]> pairs = new HashMap<>();
    for (int i = 0; i < count; i++) {
      pairs.put(pair(i), new byte[VALUE_BYTES]);
      if (pairs.size() == PUT_PAIRS_MAX || i == count - 1) {
        storage.put(pairs);
        pairs.clear();
      }
    }
  }

  @Override
  public int list(int count) {
    return storage.list(ListOptions.ALL.withStart(MIDDLE).withLimit(count), byte[].class).size();
  }
}
