package dev.holdfast.benchmarks.console;

import dev.holdfast.ObjectContext;
import java.util.SplittableRandom;

/** Has as many keys as its callers want. */
final class ShelfObject implements Shelf {

  private final ObjectContext context;

  ShelfObject(ObjectContext context) {
    this.context = context;
  }

  @Override
  public void fill(int firstKey, int keys, int valueBytes) {
    SplittableRandom random = new SplittableRandom(firstKey);
    for (int key = firstKey; key < firstKey + keys; key++) {
      byte[] value = new byte[valueBytes];
      random.nextBytes(value);
      context.storage().put("key-%07d".formatted(key), value);
    }
  }
}
