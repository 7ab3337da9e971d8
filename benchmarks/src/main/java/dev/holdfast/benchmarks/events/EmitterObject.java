package dev.holdfast.benchmarks.events;

import dev.holdfast.ObjectContext;
import java.util.SplittableRandom;

/** {@link Emitter} as a durable object. Owned by its turns. */
final class EmitterObject implements Emitter {

  static final String TOPIC = "numbers";

  private static final int FILL_KEYS = 10;
  private static final int FILL_BYTES = 100_000;

  private final ObjectContext context;

  EmitterObject(ObjectContext context) {
    this.context = context;
  }

  @Override
  public void write(long number) {
    context.storage().put("number", number);
  }

  @Override
  public void writeAndEmit(long number) {
    context.storage().put("number", number);
    context.emit(TOPIC, System.nanoTime());
  }

  @Override
  public void emit(int count) {
    for (int each = 0; each < count; each++) {
      context.emit(TOPIC, System.nanoTime());
    }
  }

  @Override
  public void fill(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int key = 0; key < FILL_KEYS; key++) {
      byte[] bytes = new byte[FILL_BYTES];
      random.nextBytes(bytes);
      context.storage().put("bytes" + key, bytes);
    }
  }
}
