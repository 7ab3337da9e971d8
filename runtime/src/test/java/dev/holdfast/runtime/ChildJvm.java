package dev.holdfast.runtime;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Starts a class of these tests in a JVM of its own, on the class path of this one. */
public final class ChildJvm {

  private ChildJvm() {}

  /**
   * Starts a JVM.
   *
   * @param first goes before everything else on the class path
   * @param options of the JVM
   * @param main the class to run
   * @param arguments of the class
   * @return the process, with its errors in its output
   * @throws IOException if it cannot be started
   */
  public static Process start(
      List<Path> first, List<String> options, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("-cp");
    command.add(classPath(first));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  /** {@return a class path with everything that this JVM has, also what it has as modules} */
  public static String classPath(List<Path> first) {
    List<String> entries = new ArrayList<>();
    first.forEach(each -> entries.add(each.toString()));
    entries.add(testClasses().toString());
    for (String property : List.of("jdk.module.path", "java.class.path")) {
      entries.addAll(
          Arrays.stream(System.getProperty(property, "").split(File.pathSeparator, -1))
              .filter(each -> !each.isEmpty())
              .toList());
    }
    return String.join(File.pathSeparator, entries);
  }

  /** The tests are patched into the module that they test; a resource says where they are. */
  private static Path testClasses() {
    String name = ChildJvm.class.getName().replace('.', '/') + ".class";
    String uri = ChildJvm.class.getResource("ChildJvm.class").toString();
    return Path.of(URI.create(uri.substring(0, uri.length() - name.length())));
  }
}
