import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.recovery.Backup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Backups of a large data directory that does not change between them. */
public final class LargeBackup {

  public interface Box {
    void put(int key, byte[] value);
  }

  static final class BoxObject implements Box {
    private final ObjectContext context;

    BoxObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void put(int key, byte[] value) {
      context.storage().put("key" + key, value);
    }
  }

  private static final int KEYS = 16;
  private static final int VALUE_BYTES = 64 << 10;

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    int objects = Integer.parseInt(arguments[1]); // of 1 MiB each
    Path data = directory.resolve("data");
    Path target = directory.resolve("backup");
    try (ObjectRuntime runtime = open(data)) {
      long begun = System.nanoTime();
      write(runtime, objects);
      print("written", begun, "");
    }
    try (ObjectRuntime runtime = open(data)) {
      for (int i = 0; i < 4; i++) {
        long begun = System.nanoTime();
        Backup backup = runtime.backup(target);
        print(
            i == 0 ? "first backup" : "incremental backup",
            begun,
            ", "
                + backup.files()
                + " files, copied "
                + (backup.bytesCopied() >> 20)
                + " MiB, kept "
                + (backup.bytesKept() >> 20)
                + " MiB");
      }
      runtime.namespace("boxes", Box.class).getByName("box-1").put(0, new byte[VALUE_BYTES]);
      long begun = System.nanoTime();
      Backup backup = runtime.backup(target);
      print("one object changed", begun, ", copied " + (backup.bytesCopied() >> 20) + " MiB");
    }
  }

  private static void write(ObjectRuntime runtime, int objects) {
    Random random = new Random(1);
    List<CompletableFuture<?>> pending = new ArrayList<>();
    for (int object = 0; object < objects; object++) {
      for (int key = 0; key < KEYS; key++) {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        int number = key;
        pending.add(
            runtime
                .namespace("boxes", Box.class)
                .stub("box-" + object)
                .async(
                    box -> {
                      box.put(number, value);
                      return null;
                    }));
      }
      if (object % 16 == 15) {
        pending.forEach(CompletableFuture::join);
        pending.clear();
      }
    }
    pending.forEach(CompletableFuture::join);
  }

  private static ObjectRuntime open(Path data) {
    return Holdfast.open(
        data,
        objects ->
            objects.namespace(
                "boxes",
                Box.class,
                BoxObject::new,
                NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO)));
  }

  private static void print(String what, long begunNanos, String more) {
    System.out.printf("%s: %.1f s%s%n", what, (System.nanoTime() - begunNanos) / 1e9, more);
  }
}
