package dev.holdfast.kills;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that writes and makes backups until it is killed. One thread stores the numbers from 1
 * on, each in the next object, and prints {@code stored NUMBER} when it was answered. Another one
 * backs up into the same target again and again, and prints {@code backup NUMBER} when a backup is
 * complete, with the last number that was answered before it began.
 */
final class BackupProcess {

  private static final int OBJECTS = 12;
  private static final String FILLING = "x".repeat(2_000);

  /** An object. */
  interface Cell {

    void set(long number);

    long number();
  }

  private record CellObject(ObjectContext context) implements Cell {

    @Override
    public void set(long number) {
      context.storage().put("number", number);
      context.storage().put("filling-" + number % 5, number + FILLING);
    }

    @Override
    public long number() {
      return context.storage().get("number", Long.class).orElse(0L);
    }
  }

  private BackupProcess() {}

  static ObjectRuntime open(Path data) {
    return open(data, RuntimeOptions.DEFAULT);
  }

  static ObjectRuntime open(Path data, RuntimeOptions options) {
    return Holdfast.open(
        data,
        objects -> {
          objects.options(options);
          for (StorageKind kind : List.of(StorageKind.SQLITE, StorageKind.ROCKSDB)) {
            objects.namespace(
                kind.name(),
                Cell.class,
                CellObject::new,
                NamespaceOptions.DEFAULT.withStorage(kind));
          }
        });
  }

  /** {@return the object that stores a number; both engines have every second one} */
  static Cell cell(ObjectRuntime runtime, long number) {
    List<StorageKind> kinds = List.of(StorageKind.SQLITE, StorageKind.ROCKSDB);
    return runtime
        .namespace(kinds.get((int) (number % kinds.size())).name(), Cell.class)
        .getByName("cell-" + number % OBJECTS);
  }

  /**
   * {@return the last number that was stored}
   *
   * @throws IllegalStateException if an earlier one is missing
   */
  static long last(ObjectRuntime runtime) {
    long last = 0;
    for (int each = 0; each < OBJECTS; each++) {
      last = Math.max(last, cell(runtime, each).number());
    }
    for (long number = Math.max(1, last - OBJECTS + 1); number <= last; number++) {
      long found = cell(runtime, number).number();
      if (found != number) {
        throw new IllegalStateException(last + " is stored, and " + found + " for " + number);
      }
    }
    return last;
  }

  /** Takes the data directory and the target. */
  public static void main(String[] arguments) {
    ObjectRuntime runtime = open(Path.of(arguments[0]));
    Path target = Path.of(arguments[1]);
    AtomicLong stored = new AtomicLong(last(runtime));
    Thread.ofPlatform()
        .start(
            () -> {
              while (true) {
                long number = stored.get() + 1;
                cell(runtime, number).set(number);
                stored.set(number);
                System.out.println("stored " + number);
              }
            });
    while (true) {
      long from = stored.get();
      runtime.backup(target);
      System.out.println("backup " + from);
    }
  }
}
