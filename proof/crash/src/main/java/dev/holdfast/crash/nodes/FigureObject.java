package dev.holdfast.crash.nodes;

import dev.holdfast.ObjectContext;
import dev.holdfast.storage.ObjectStorage;

/** A number, stored. */
final class FigureObject implements Figure {

  private static final String VALUE = "value";

  private final ObjectStorage storage;

  FigureObject(ObjectContext context) {
    this.storage = context.storage();
  }

  @Override
  public long read() {
    return storage.get(VALUE, Long.class).orElse(0L);
  }

  @Override
  public long add(long more) {
    long sum = read() + more;
    storage.put(VALUE, sum);
    return sum;
  }

  @Override
  public long compareAndSet(long expected, long value) {
    if (read() != expected) {
      return 0;
    }
    storage.put(VALUE, value);
    return 1;
  }
}
