package dev.holdfast.system.memory;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.storage.ListOptions;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A process that fills an object, deletes everything, brings the object back and forks it. Says
 * {@code RESTORED pairs forkedPairs heapBytes}.
 */
final class RestoreMemoryProcess {

  private static final int VALUE_BYTES = 32 << 10;
  private static final int PAIRS_PER_TURN = 32;

  private RestoreMemoryProcess() {}

  /** An object with many pairs. */
  public interface ManyPairs {

    /** Adds pairs, one turn's worth. */
    void fill(int first);

    /** Deletes pairs, one turn's worth. */
    void clear(int first);

    /** Deletes everything. */
    void deleteAll();

    /** Returns a bookmark of now. */
    String bookmark();

    /** Brings the object back. */
    void restore(String bookmark);

    /** Returns how many pairs there are, each as it was stored. */
    long pairs();
  }

  private record Pairs(ObjectContext context) implements ManyPairs {

    @Override
    public void fill(int first) {
      for (int number = first; number < first + PAIRS_PER_TURN; number++) {
        context.storage().put("key%06d".formatted(number), valueOf(number));
      }
    }

    @Override
    public void clear(int first) {
      for (int number = first; number < first + PAIRS_PER_TURN; number++) {
        context.storage().delete("key%06d".formatted(number));
      }
    }

    @Override
    public void deleteAll() {
      context.storage().deleteAll();
    }

    @Override
    public String bookmark() {
      return context.storage().getCurrentBookmark();
    }

    @Override
    public void restore(String bookmark) {
      context.storage().onNextSessionRestoreBookmark(bookmark);
      throw context.abort("to restore");
    }

    @Override
    public long pairs() {
      return context.storage().stream(ListOptions.ALL, byte[].class)
          .filter(
              pair ->
                  Arrays.equals(
                      pair.getValue(),
                      valueOf(Integer.parseInt(pair.getKey().substring("key".length())))))
          .count();
    }

    private static byte[] valueOf(int number) {
      byte[] value = new byte[VALUE_BYTES];
      Arrays.fill(value, (byte) number);
      return value;
    }
  }

  /** The child's main method. */
  public static void main(String[] arguments) {
    int pairs = Integer.parseInt(arguments[1]);
    StorageKind storage = StorageKind.valueOf(arguments[2]);
    try (ObjectRuntime runtime =
        Holdfast.open(
            Path.of(arguments[0]),
            objects ->
                objects
                    .options(
                        RuntimeOptions.DEFAULT
                            .withValueCacheBytesMax(1 << 20)
                            .withRocksDbMemoryBytesMax(12 << 20))
                    .namespace(
                        "things",
                        ManyPairs.class,
                        Pairs::new,
                        NamespaceOptions.DEFAULT.withStorage(storage)))) {
      ObjectNamespace<ManyPairs> things = runtime.namespace("things", ManyPairs.class);
      ManyPairs object = things.getByName("a");
      for (int first = 0; first < pairs; first += PAIRS_PER_TURN) {
        object.fill(first);
      }
      String full = object.bookmark();
      if (storage == StorageKind.ROCKSDB) {
        object.deleteAll();
      } else { // SQLite's deleteAll is one record
        for (int first = 0; first < pairs; first += PAIRS_PER_TURN) {
          object.clear(first);
        }
      }
      try {
        object.restore(full);
      } catch (InstanceResetException e) {
        System.out.println(e.getMessage());
      }
      long restored = object.pairs();
      runtime.recovery("things", things.idFromName("a")).fork(full, "b");
      System.out.println(
          "RESTORED "
              + restored
              + " "
              + things.getByName("b").pairs()
              + " "
              + Runtime.getRuntime().maxMemory());
    }
  }
}
