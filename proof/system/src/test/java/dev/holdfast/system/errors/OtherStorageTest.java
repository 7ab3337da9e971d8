package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.spi.storage.StorageProvider;
import dev.holdfast.testkit.InMemoryBackend;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data directory with objects in the backend of somebody else. */
final class OtherStorageTest {

  private static final String NAMES = "META-INF/services/" + StorageProvider.class.getName();

  @TempDir private Path directory;

  /** Finds the backend of the test kit under a name. */
  public static final class MemoryProvider implements StorageProvider {

    @Override
    public StorageKind kind() {
      return StorageKind.of("memory");
    }

    @Override
    public int viewId() {
      return VIEW_ID_MAX;
    }

    @Override
    public StorageBackend open(Opening opening) {
      return new InMemoryBackend(opening.journal(), VIEW_ID_MAX);
    }
  }

  /** A counter. */
  public interface Counter {

    /** {@return the new sum} */
    long next();
  }

  /** The application, loaded again by a class loader with the backend, or without it. */
  public static final class Application implements BiFunction<Path, String, String> {

    private record CounterObject(ObjectContext context) implements Counter {
      @Override
      public long next() {
        long sum = context.storage().get("sum", Long.class).orElse(0L) + 1;
        context.storage().put("sum", sum);
        return sum;
      }
    }

    @Override
    public String apply(Path data, String storage) {
      NamespaceOptions options = NamespaceOptions.DEFAULT.withStorage(StorageKind.of(storage));
      try (ObjectRuntime runtime =
          Holdfast.open(
              data,
              objects ->
                  objects.namespace("in-" + storage, Counter.class, CounterObject::new, options))) {
        ObjectNamespace<Counter> counters = runtime.namespace("in-" + storage, Counter.class);
        long sum = counters.getByName("the one").next();
        CompletableFuture<Void> purge =
            runtime.admin().purgeHistory(counters.name(), counters.idFromName("the one"));
        String refused = purge.handle((_, e) -> e == null ? "" : ": " + e.getMessage()).join();
        return "sum " + sum + refused + "; " + asked(runtime, counters);
      } catch (HoldfastException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
      }
    }

    /** What becomes of a purge, as a node of a cluster asks for it. */
    private static String asked(ObjectRuntime runtime, ObjectNamespace<Counter> counters) {
      ObjectKey key = new ObjectKey(counters.name(), counters.idFromName("the one"));
      try {
        return "" + ((Inspectable) runtime).inspected().inspection().isPurging(key);
      } catch (HoldfastException e) {
        return String.valueOf(e.getMessage());
      }
    }
  }

  @Test
  void directoryIsRefusedWithoutTheBackendAndLosesNothing() throws Exception {
    Path added = directory.resolve("added");
    Files.createDirectories(added.resolve(NAMES).getParent());
    Files.writeString(added.resolve(NAMES), MemoryProvider.class.getName() + "\n");
    Path data = directory.resolve("data");

    assertThat(ClassPathWithout.runWith(added, Application.class, data, "memory"))
        .startsWith("sum 1: The history is not purged. The storage MEMORY keeps all of its records")
        .contains("; The history was not purged (The history is not purged. ");
    assertThat(new Application().apply(data, "sqlite"))
        .startsWith("DataDirectoryException: The journal has records of a storage backend with")
        .contains("view id 252")
        .endsWith("[" + data + "]");
    assertThat(new Application().apply(data, "memory"))
        .startsWith("NamespaceException: The namespace \"in-memory\" asks for the storage MEMORY")
        .contains("(found: SQLITE, ROCKSDB)");
    assertThat(ClassPathWithout.runWith(added, Application.class, data, "sqlite"))
        .as("without a namespace that asks for it")
        .startsWith("sum 1: The history is not purged. ");
    assertThat(ClassPathWithout.runWith(added, Application.class, data, "memory"))
        .startsWith("sum 2: ");
  }
}
