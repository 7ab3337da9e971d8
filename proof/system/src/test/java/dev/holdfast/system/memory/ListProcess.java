package dev.holdfast.system.memory;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.ObjectStorage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that fills an object and streams through it. Says {@code STREAMED pairs bytes
 * heapBytes}.
 */
final class ListProcess {

  private static final int VALUE_BYTES = 32 << 10;
  private static final int PAIRS_PER_TURN = 32;

  private ListProcess() {}

  /** An object with many pairs. */
  public interface ManyPairs {

    /** Adds pairs, one turn's worth. */
    void fill(int first);

    /** Returns how many pairs a stream has. */
    long streamedPairs();

    /** Returns how many bytes the values of a stream have, each as it was stored. */
    long streamedBytes();
  }

  private record Pairs(ObjectStorage storage) implements ManyPairs {

    @Override
    public void fill(int first) {
      for (int number = first; number < first + PAIRS_PER_TURN; number++) {
        storage.put("key%06d".formatted(number), valueOf(number));
      }
    }

    @Override
    public long streamedPairs() {
      return storage.stream(ListOptions.ALL, byte[].class).count();
    }

    @Override
    public long streamedBytes() {
      AtomicLong bytes = new AtomicLong();
      storage.stream(ListOptions.ALL, byte[].class)
          .forEach(
              pair -> {
                int number = Integer.parseInt(pair.getKey().substring("key".length()));
                if (!Arrays.equals(pair.getValue(), valueOf(number))) {
                  throw new IllegalStateException("not what was stored: " + pair.getKey());
                }
                bytes.addAndGet(pair.getValue().length);
              });
      return bytes.get();
    }

    private static byte[] valueOf(int number) {
      byte[] value = new byte[VALUE_BYTES];
      Arrays.fill(value, (byte) number);
      return value;
    }
  }

  /** The child's main method. */
  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[0]);
    NamespaceOptions storage =
        NamespaceOptions.DEFAULT.withStorage(StorageKind.valueOf(arguments[1]));
    int pairs = Integer.parseInt(arguments[2]);
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            objects ->
                objects
                    .options(
                        RuntimeOptions.DEFAULT
                            .withValueCacheBytesMax(1 << 20)
                            .withRocksDbMemoryBytesMax(12 << 20))
                    .namespace(
                        "lists",
                        ManyPairs.class,
                        (ObjectContext context) -> new Pairs(context.storage()),
                        storage))) {
      ManyPairs list = runtime.namespace("lists", ManyPairs.class).getByName("a");
      for (int first = 0; first < pairs; first += PAIRS_PER_TURN) {
        list.fill(first);
      }
      System.out.println(
          "STREAMED "
              + list.streamedPairs()
              + " "
              + list.streamedBytes()
              + " "
              + Runtime.getRuntime().maxMemory());
    }
  }
}
