package dev.holdfast.backend.sqlite;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A process of its own with the classes of the tests. */
final class OwnJvm {

  private OwnJvm() {}

  /** Starts a class; what it says as an error is in its output. */
  static Process start(List<String> options, Class<?> main, String argument) throws IOException {
    return start(options, Map.of(), main, argument);
  }

  /** Starts a class with variables of the environment. */
  static Process start(
      List<String> options, Map<String, String> variables, Class<?> main, String argument)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.add(main.getName());
    command.add(argument);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(variables);
    builder
        .environment()
        .merge("CLASSPATH", classPath(), (ours, more) -> ours + File.pathSeparator + more);
    return builder.redirectErrorStream(true).start();
  }

  /** All that this JVM has, also what it has as modules; the tests are patched into one. */
  private static String classPath() {
    String name = OwnJvm.class.getName().replace('.', '/') + ".class";
    String uri = String.valueOf(OwnJvm.class.getResource("OwnJvm.class"));
    Path tests = Path.of(URI.create(uri.substring(0, uri.length() - name.length())));
    return Stream.of(
            tests.toString(),
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path", ""))
        .filter(each -> !each.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
