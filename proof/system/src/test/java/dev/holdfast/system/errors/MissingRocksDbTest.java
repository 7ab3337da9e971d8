package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.DataDirectoryException;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application without RocksDB's library, which is not a dependency of Holdfast. */
final class MissingRocksDbTest {

  private static final String JAR = "rocksdbjni-";

  @TempDir private Path directory;

  /** The application, loaded again by a class loader without the library. */
  public static final class Application implements Function<Path, String> {

    @Override
    public String apply(Path directory) {
      try (ObjectRuntime _ =
          Holdfast.open(
              directory,
              objects ->
                  objects.namespace(
                      "things",
                      Runnable.class,
                      _ -> () -> {},
                      NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)))) {
        return "opened";
      } catch (DataDirectoryException e) {
        return e.getMessage();
      }
    }
  }

  @Test
  @SuppressWarnings("unchecked") // Application is such a function
  void messageSaysWhichDependencyToAdd() throws Exception {
    List<URL> present = new ArrayList<>();
    List<String> left = new ArrayList<>();
    for (String entry :
        System.getProperty("java.class.path").split(File.pathSeparator, /* limit= */ -1)) {
      String name = Path.of(entry).getFileName().toString();
      if (name.startsWith(JAR)) {
        left.add(name);
      } else {
        present.add(Path.of(entry).toUri().toURL());
      }
    }
    assertThat(left).as("the library as these tests have it").hasSize(1);

    String message;
    try (URLClassLoader loader =
        new URLClassLoader(present.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Function<Path, String> application =
          (Function<Path, String>)
              loader.loadClass(Application.class.getName()).getDeclaredConstructor().newInstance();
      message = application.apply(directory);
    }

    String version = left.getFirst().substring(JAR.length()).split("-|\\.jar", 2)[0];
    assertThat(message)
        .contains("StorageKind.ROCKSDB needs RocksDB's Java library")
        .contains("Add the artifact org.rocksdb:rocksdbjni:" + version + " with the classifier")
        .contains("StorageKind.SQLITE");
  }
}
