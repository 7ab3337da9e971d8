package dev.holdfast.embedded.event;

import dev.holdfast.ObjectContext;

/** Counts, and emits each number with the write of it. */
public interface EmittingCounter {

  String TOPIC = "numbers";

  /** Adds one and returns the sum. */
  long increment();

  /** Emits the sum with no write. */
  void repeat();

  /** Returns the sum. */
  long get();

  /** Creates the object. */
  static EmittingCounter of(ObjectContext context) {
    return new Stored(context);
  }

  /** Its sum is in the storage. */
  record Stored(ObjectContext context) implements EmittingCounter {

    @Override
    public long increment() {
      long sum = get() + 1;
      context.storage().put("sum", sum);
      context.emit(TOPIC, sum);
      return sum;
    }

    @Override
    public void repeat() {
      context.emit(TOPIC, get());
    }

    @Override
    public long get() {
      return context.storage().get("sum", Long.class).orElse(0L);
    }
  }
}
