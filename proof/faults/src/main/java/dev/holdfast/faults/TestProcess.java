package dev.holdfast.faults;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A test class that runs in a separate JVM, on the class path of this one: for tests of memory, and
 * of code that may end the process. The JVM uses fast compilation, no verification of classes and
 * serial garbage collection, unless {@link #options} override that.
 *
 * <p>Not thread-safe.
 */
public final class TestProcess {

  private final Class<?> main;
  private final List<String> arguments;
  private final List<String> options =
      new ArrayList<>(
          List.of(
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "-XX:+UnlockDiagnosticVMOptions",
              "-XX:-BytecodeVerificationRemote",
              "-ea",
              "--enable-native-access=ALL-UNNAMED",
              "-Dslf4j.internal.verbosity=ERROR"));
  private final Map<String, String> environment = new HashMap<>();
  private final List<Path> first = new ArrayList<>();
  private Path directory = Path.of("");

  private TestProcess(Class<?> main, List<String> arguments) {
    this.main = main;
    this.arguments = arguments;
  }

  /**
   * Creates a process description, without starting it.
   *
   * @param main the test class with the main method
   * @param arguments of the main method
   * @return the process to start
   */
  public static TestProcess of(Class<?> main, String... arguments) {
    return new TestProcess(main, List.of(arguments));
  }

  /**
   * Adds JVM options.
   *
   * @param more the options; they override earlier ones
   * @return this
   */
  public TestProcess options(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  /**
   * Sets an environment variable.
   *
   * @param name its name
   * @param value its value
   * @return this
   */
  public TestProcess environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /**
   * Puts a directory of classes before everything else on the class path.
   *
   * @param classes the directory
   * @return this
   */
  public TestProcess first(Path classes) {
    first.add(classes);
    return this;
  }

  /**
   * Sets the working directory; the default is the value of this process.
   *
   * @param newDirectory the directory
   * @return this
   */
  public TestProcess directory(Path newDirectory) {
    directory = newDirectory;
    return this;
  }

  /**
   * Starts the process.
   *
   * @return the process, with its errors in its output
   * @throws IOException if it cannot be started
   */
  public Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.add(main.getName());
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(directory.toAbsolutePath().toFile());
    builder.environment().putAll(environment);
    // Not as an option: the path is long, and the environment does not appear in process lists.
    builder.environment().put("CLASSPATH", classPath());
    return builder.start();
  }

  /**
   * Starts the process and waits for its end.
   *
   * @return its output, line by line
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws AssertionError if the exit code is not 0
   */
  public List<String> run() throws IOException, InterruptedException {
    Process process = start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        throw new AssertionError(main.getName() + " ended with " + exitCode + ":\n" + output);
      }
      return output.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * Says which tests the process needs, if the class with the main method is not one of them.
   *
   * @param test any of them
   * @return this
   */
  public TestProcess testsOf(Class<?> test) {
    first.add(directoryOf(test));
    return this;
  }

  /** {@return a class path with everything that this JVM has, including its modules} */
  public String classPath() {
    return Stream.of(
            first.stream().map(Path::toString),
            Stream.of(
                directoryOf(main).toString(),
                System.getProperty("jdk.module.path", ""),
                System.getProperty("java.class.path", "")))
        .flatMap(entries -> entries)
        .filter(entry -> !entry.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The tests are patched into the module that they test; a resource shows where they are. */
  private static Path directoryOf(Class<?> test) {
    String name = test.getName().replace('.', '/') + ".class";
    String simple = name.substring(name.lastIndexOf('/') + 1);
    String uri = Objects.requireNonNull(test.getResource(simple), name).toString();
    if (uri.startsWith("jar:")) {
      return Path.of(URI.create(uri.substring("jar:".length(), uri.indexOf("!/"))));
    }
    return Path.of(URI.create(uri.substring(0, uri.length() - name.length())));
  }
}
