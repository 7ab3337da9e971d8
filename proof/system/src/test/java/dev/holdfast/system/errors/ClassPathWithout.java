package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** The class path of these tests without one of its entries, or with one more. */
final class ClassPathWithout {

  private ClassPathWithout() {}

  private static Stream<String> entries() {
    return Stream.of(
        System.getProperty("java.class.path").split(File.pathSeparator, /* limit= */ -1));
  }

  /** The name of the one entry that has a part in its path. */
  static String leftOut(String part) {
    List<String> left = entries().filter(entry -> entry.contains(part)).toList();
    assertThat(left).as("what these tests have of it").hasSize(1);
    return Path.of(left.getFirst()).getFileName().toString();
  }

  /**
   * Runs an application that a class loader without the entry loads again.
   *
   * @param part what the path of the entry has
   */
  static String run(
      String part,
      Class<? extends BiFunction<Path, String, String>> application,
      Path directory,
      String argument)
      throws Exception {
    assertThat(leftOut(part)).isNotEmpty();
    return run(entries().filter(entry -> !entry.contains(part)), application, directory, argument);
  }

  /**
   * Runs an application that a class loader with one more entry loads again.
   *
   * @param added the entry
   */
  static String runWith(
      Path added,
      Class<? extends BiFunction<Path, String, String>> application,
      Path directory,
      String argument)
      throws Exception {
    return run(
        Stream.concat(entries(), Stream.of(added.toString())), application, directory, argument);
  }

  @SuppressWarnings("unchecked") // the application is such a function
  private static String run(
      Stream<String> entries,
      Class<? extends BiFunction<Path, String, String>> application,
      Path directory,
      String argument)
      throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : entries.toList()) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      BiFunction<Path, String, String> loaded =
          (BiFunction<Path, String, String>)
              loader.loadClass(application.getName()).getDeclaredConstructor().newInstance();
      return loaded.apply(directory, argument);
    }
  }
}
