package dev.holdfast.runtime.lifecycle;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.util.SplittableRandom;

/**
 * Measures what idle live objects cost: {@code java -Xmx2g ... LiveObjects 1000000} creates a
 * million and prints the bytes of heap for each. The figure contains the engine's own part, the
 * stub and the id; the object has one field.
 */
final class LiveObjects {

  private LiveObjects() {}

  /** The interface of the objects. */
  public interface Counter {

    /** Counts a call. */
    long count();
  }

  private static final class CounterObject implements Counter {
    private long calls;

    @Override
    public long count() {
      return ++calls;
    }
  }

  public static void main(String[] arguments) {
    int count = Integer.parseInt(arguments[0]);
    System.out.println(
        count + " live objects of " + bytesEach(count) + " bytes each, id and its text included");
  }

  /** {@return the heap of an idle live object, among a number of them} */
  static long bytesEach(int count) {
    InMemoryJournal journal = new InMemoryJournal().forgetful();
    try (ObjectRuntime runtime =
        new EngineBuilder(
                objects ->
                    objects.namespace(
                        "counters",
                        Counter.class,
                        _ -> new CounterObject(),
                        NamespaceOptions.DEFAULT))
            .backend(StorageKind.SQLITE, new InMemoryBackend(journal))
            .open(journal, new VirtualClock(), new SplittableRandom(1))) {
      ObjectNamespace<Counter> counters = runtime.namespace("counters", Counter.class);
      counters.getByName("warm up").count();
      long before = usedBytes();
      for (int i = 0; i < count; i++) {
        counters.getByName("counter-" + i).count();
      }
      long after = usedBytes();
      if (counters.getByName("counter-0").count() != 2) {
        throw new IllegalStateException("The objects did not stay in memory.");
      }
      return (after - before) / count;
    }
  }

  private static long usedBytes() {
    Runtime machine = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    // A collection may leave garbage to the next one; a few suffice.
    for (int i = 0; i < 3; i++) {
      machine.gc();
      used = Math.min(used, machine.totalMemory() - machine.freeMemory());
    }
    return used;
  }
}
