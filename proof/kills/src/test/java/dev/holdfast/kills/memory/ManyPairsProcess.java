package dev.holdfast.kills.memory;

import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.faults.TestProcess;
import dev.holdfast.storage.ListOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * A process with a small heap that fills an object and streams through it, or deletes everything,
 * restores the object and forks it. Prints {@code DONE}, two figures and the bytes of its heap.
 */
final class ManyPairsProcess {

  static final int VALUE_BYTES = 32 << 10;
  private static final int PAIRS_PER_TURN = 32;

  private ManyPairsProcess() {}

  /** What the process does with the object. */
  enum Job {
    /** The figures are the pairs and the bytes of their values. */
    STREAM,
    /** The figures are the pairs after the restore and those of the fork. */
    RESTORE
  }

  /** {@return the figures of a process with a heap of a given size} */
  static List<Long> figures(String heap, Job job, Path directory, StorageKind storage, int pairs)
      throws IOException, InterruptedException {
    List<String> lines =
        TestProcess.of(
                ManyPairsProcess.class,
                job.name(),
                directory.toString(),
                storage.toString(),
                Integer.toString(pairs))
            .options(heap, "-XX:+ExitOnOutOfMemoryError")
            .run();
    String said =
        lines.stream()
            .filter(line -> line.startsWith("DONE "))
            .findFirst()
            .orElseThrow(() -> new AssertionError(String.join("\n", lines)));
    return Stream.of(said.split(" ", -1)).skip(1).map(Long::valueOf).toList();
  }

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

    /** Restores the object. */
    void restore(String bookmark);

    /** Returns the number of pairs of a stream. */
    long streamedPairs();

    /**
     * Returns the number of bytes of the values of a stream, each compared with what was stored.
     */
    long streamedBytes();
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
    public long streamedPairs() {
      return context.storage().stream(ListOptions.ALL, byte[].class).count();
    }

    @Override
    public long streamedBytes() {
      AtomicLong bytes = new AtomicLong();
      context.storage().stream(ListOptions.ALL, byte[].class)
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
    NamespaceOptions storage = NamespaceOptions.DEFAULT.withStorage(StorageKind.of(arguments[2]));
    int pairs = Integer.parseInt(arguments[3]);
    try (ObjectRuntime runtime =
        Holdfast.open(
            Path.of(arguments[1]),
            objects ->
                objects
                    .options(
                        RuntimeOptions.DEFAULT
                            .withValueCacheBytesMax(1 << 20)
                            .withRocksDbMemoryBytesMax(12 << 20))
                    .namespace("things", ManyPairs.class, Pairs::new, storage))) {
      ObjectNamespace<ManyPairs> things = runtime.namespace("things", ManyPairs.class);
      ManyPairs object = things.getByName("a");
      for (int first = 0; first < pairs; first += PAIRS_PER_TURN) {
        object.fill(first);
      }
      switch (Job.valueOf(arguments[0])) {
        case STREAM -> say(object.streamedPairs(), object.streamedBytes());
        case RESTORE -> {
          String full = object.bookmark();
          if (storage.storage().equals(StorageKind.ROCKSDB)) {
            object.deleteAll();
          } else { // SQLite's deleteAll is one record
            for (int first = 0; first < pairs; first += PAIRS_PER_TURN) {
              object.clear(first);
            }
          }
          restoreAndFork(runtime, things, object, full);
        }
      }
    }
  }

  private static void restoreAndFork(
      ObjectRuntime runtime, ObjectNamespace<ManyPairs> things, ManyPairs object, String full) {
    try {
      object.restore(full);
    } catch (InstanceResetException e) {
      System.out.println(e.getMessage());
    }
    long restoredBytes = object.streamedBytes();
    runtime.recovery("things", things.idFromName("a")).fork(full, "b");
    long forkedBytes = things.getByName("b").streamedBytes();
    say(restoredBytes / VALUE_BYTES, forkedBytes / VALUE_BYTES);
  }

  private static void say(long first, long second) {
    System.out.println("DONE " + first + " " + second + " " + Runtime.getRuntime().maxMemory());
  }
}
