import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreResult;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Restores everything from an archive with base images and from one without. */
public final class Images {

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

  private static final int OBJECTS = 2_000;

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    int megabytes = Integer.parseInt(arguments[1]);
    for (int round = 0; round < 2; round++) {
      run(directory.resolve("without-" + round), megabytes, Long.MAX_VALUE);
      run(directory.resolve("with-" + round), megabytes, 64L << 20);
    }
  }

  private static void run(Path root, int megabytes, long baseBytes) throws Exception {
    Files.createDirectories(root);
    Path store = root.resolve("archive");
    try (ObjectRuntime runtime = open(root.resolve("data"), store, baseBytes)) {
      write(runtime, megabytes);
    }
    long archived = bytes(store);
    long begun = System.nanoTime();
    RestoreResult result;
    try (DirectoryArchive archive = new DirectoryArchive(store)) {
      result =
          Holdfast.restore(
              archive, root.resolve("restored"), RestoreRequest.of(new RestoreTarget.Latest()));
    }
    long restored = System.nanoTime();
    try (ObjectRuntime runtime = Holdfast.open(root.resolve("restored"), Images::register)) {
      runtime.statistics();
    }
    long opened = System.nanoTime();
    System.out.printf(
        "%s: archive %d MB, read %d MB, restored to %d in %.2f s, opened and closed in %.2f s%n",
        root.getFileName(),
        archived >> 20,
        result.bytes() >> 20,
        result.position(),
        (restored - begun) / 1e9,
        (opened - restored) / 1e9);
  }

  private static void register(dev.holdfast.ObjectRegistrar objects) {
    objects.namespace("boxes", Box.class, BoxObject::new);
  }

  private static ObjectRuntime open(Path data, Path store, long baseBytes) {
    return Holdfast.open(
        data,
        objects -> {
          register(objects);
          objects.options(
              RuntimeOptions.DEFAULT.withArchive(
                  ArchiveOptions.to(new DirectoryArchive(store))
                      .withInterval(Duration.ofSeconds(1))
                      .withBaseBytes(baseBytes)));
        });
  }

  /** Overwrites the same 16 values of each object. */
  private static void write(ObjectRuntime runtime, int megabytes) throws Exception {
    int writes = megabytes * 1024;
    CompletableFuture<?>[] callers = new CompletableFuture<?>[64];
    for (int caller = 0; caller < callers.length; caller++) {
      int first = caller;
      callers[caller] =
          CompletableFuture.runAsync(
              () -> {
                var boxes = runtime.namespace("boxes", Box.class);
                var random = new java.util.Random(first);
                byte[] value = new byte[1024];
                for (int i = first; i < writes; i += callers.length) {
                  random.nextBytes(value);
                  boxes.getByName("box" + i % OBJECTS).put(i / OBJECTS % 16, value);
                }
              },
              Thread::startVirtualThread);
    }
    CompletableFuture.allOf(callers).get();
  }

  private static long bytes(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile).mapToLong(each -> each.toFile().length()).sum();
    }
  }
}
