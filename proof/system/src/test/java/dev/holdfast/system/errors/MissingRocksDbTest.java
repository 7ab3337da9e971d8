package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application without RocksDB's library, or without the backend: neither comes with Holdfast.
 */
final class MissingRocksDbTest {

  private static final String JAR = "rocksdbjni-";
  private static final String BACKEND = "backend-kv-rocksdb";

  @TempDir private Path directory;

  /** The application, loaded again by a class loader without some dependencies. */
  public static final class Application implements BiFunction<Path, String, String> {

    @Override
    public String apply(Path directory, String storage) {
      try (ObjectRuntime _ = open(directory, StorageKind.of(storage))) {
        return "opened";
      } catch (HoldfastException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
      }
    }

    static ObjectRuntime open(Path directory, StorageKind storage) {
      return Holdfast.open(
          directory,
          objects ->
              objects.namespace(
                  "things",
                  Runnable.class,
                  _ -> () -> {},
                  NamespaceOptions.DEFAULT.withStorage(storage)));
    }
  }

  private static Map<String, String> files(Path data) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(data)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        String content = Files.isRegularFile(each) ? Files.size(each) + " bytes" : "directory";
        files.put(data.relativize(each).toString(), content + Files.getLastModifiedTime(each));
      }
    }
    return files;
  }

  @Test
  void messageSaysWhichLibraryToAdd() throws Exception {
    String message = ClassPathWithout.run(JAR, Application.class, directory, "ROCKSDB");

    assertThat(message)
        .startsWith("DataDirectoryException: StorageKind.ROCKSDB needs RocksDB's Java library")
        .contains("Add the artifact org.rocksdb:rocksdbjni:" + version() + " with the classifier")
        .contains("StorageKind.SQLITE");
  }

  private String version() {
    String jar = ClassPathWithout.leftOut(JAR);
    return jar.substring(JAR.length()).split("-|\\.jar", 2)[0];
  }

  @Test
  void namespaceWithoutTheBackendIsRefusedBeforeAnythingIsWritten() throws Exception {
    Path data = directory.resolve("data");

    assertThat(ClassPathWithout.run(BACKEND, Application.class, data, "ROCKSDB"))
        .startsWith("NamespaceException: The namespace \"things\" asks for the storage ROCKSDB")
        .contains("dev.holdfast:holdfast-backend-kv-rocksdb")
        .contains("org.rocksdb:rocksdbjni:" + version() + " with the classifier");
    assertThat(data).doesNotExist();
    assertThat(ClassPathWithout.run(BACKEND, Application.class, data, "another"))
        .startsWith("NamespaceException: The namespace \"things\" asks for the storage ANOTHER")
        .contains("(found: SQLITE)");
    assertThat(data).doesNotExist();
    assertThat(ClassPathWithout.run(BACKEND, Application.class, data, "sqlite"))
        .isEqualTo("opened");
  }

  @Test
  void directoryWithRocksDbIsRefusedWithoutTheBackendAndStaysAsItIs() throws Exception {
    Path data = directory.resolve("data");
    Application.open(data, StorageKind.ROCKSDB).close();
    Map<String, String> before = files(data);

    assertThat(ClassPathWithout.run(BACKEND, Application.class, data, "sqlite"))
        .startsWith("DataDirectoryException: The directory has data in RocksDB")
        .contains("dev.holdfast:holdfast-backend-kv-rocksdb")
        .endsWith("[" + data + "]");
    assertThat(files(data)).isEqualTo(before);
    assertThat(new Application().apply(data, "ROCKSDB")).isEqualTo("opened");
  }
}
