package dev.holdfast.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a class in a separate JVM: for what is different in a fresh process, or ends one. */
public final class FreshJvm {

  private FreshJvm() {}

  /**
   * Runs a main class to its end. Its errors go where the errors of this process go.
   *
   * @param main the class
   * @param options options of the JVM; the heap and collector come from the launcher
   * @param arguments the arguments
   * @return what it has printed, line by line
   * @throws IOException if its exit code is not zero
   */
  public static List<String> run(Class<?> main, List<String> options, List<String> arguments)
      throws IOException, InterruptedException {
    return run(main, options, System.getProperty("java.class.path"), arguments);
  }

  /** Does what {@link #run(Class, List, List)} does, with another class path. */
  public static List<String> run(
      Class<?> main, List<String> options, String classPath, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = command(main, options, classPath);
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      out.lines().forEach(lines::add);
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(main.getName() + " has ended with exit code " + code + ": " + lines);
    }
    return lines;
  }

  /** {@return the command that runs a class, to which arguments may be added} */
  public static List<String> command(Class<?> main, List<String> options) {
    return command(main, options, System.getProperty("java.class.path"));
  }

  private static List<String> command(Class<?> main, List<String> options, String classPath) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.add("--sun-misc-unsafe-memory-access=allow"); // for the Netty of Ratis; else a warning
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.addAll(options);
    command.addAll(List.of("--class-path", classPath, main.getName()));
    return command;
  }
}
