package dev.holdfast.launcher.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A second JVM with the class path of this one, which communicates in lines and can be killed at
 * any moment.
 *
 * <p>Output that it has written before the kill is not lost, because the pipe outlives it: so each
 * line is a promise that the child has made. It shares the standard error of this process, unless
 * it is requested as lines too. Owned by one thread.
 */
public final class ChildJvm implements AutoCloseable {

  /** The exit code that a shell reports for a process that SIGKILL has ended. */
  private static final int EXIT_KILLED = 128 + 9;

  /**
   * Assertions are enabled in a child if they are in this process, as in tests. A recording that
   * the environment asks for must not greet on the standard output, which carries the answers.
   */
  private static final List<String> OPTIONS =
      List.of(
          "-Xmx512m",
          "-XX:+UseSerialGC",
          "-Xlog:jfr+startup=error",
          "--sun-misc-unsafe-memory-access=allow", // for the Netty of Ratis; else a warning
          ChildJvm.class.desiredAssertionStatus() ? "-ea" : "-da");

  /**
   * What the user has asked for in {@code HOLDFAST_JAVA_OPTS}, which the launcher documents;
   * divided where its shell divides it.
   */
  private static final List<String> ENVIRONMENT_OPTIONS =
      Pattern.compile("[ \\t\\n]+")
          .splitAsStream(Objects.requireNonNullElse(System.getenv("HOLDFAST_JAVA_OPTS"), ""))
          .filter(option -> !option.isEmpty())
          .toList();

  private final Process process;

  /** The lines of the child that are not read yet; an empty element is the end. */
  private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

  private boolean ended;

  private ChildJvm(Process process) {
    this.process = process;
    Thread.ofPlatform().daemon().name("child-output").start(this::readAll);
  }

  /**
   * Starts a child.
   *
   * @param main its main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm start(Class<?> main, List<String> arguments) {
    return start(List.of(), main, arguments);
  }

  /**
   * Starts a child whose standard error also arrives as lines, so that the caller can report why it
   * failed.
   *
   * @param main its main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm startWithErrors(Class<?> main, List<String> arguments) {
    return startWithErrors(List.of(), main, arguments);
  }

  /**
   * Starts a child with its own JVM options, whose standard error also arrives as lines.
   *
   * @param options the options of the JVM; they override the options that every child has, such as
   *     its heap of 512 MiB
   * @param main its main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm startWithErrors(
      List<String> options, Class<?> main, List<String> arguments) {
    List<String> command = command(List.of(), main, arguments);
    command.addAll(1 + OPTIONS.size() + ENVIRONMENT_OPTIONS.size(), options);
    return start(command, Redirect.INHERIT, /* withErrors= */ true);
  }

  /**
   * Starts a child through another program.
   *
   * @param wrapper a command that replaces itself with the command that is appended to it
   * @param main the child's main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm start(List<String> wrapper, Class<?> main, List<String> arguments) {
    return start(command(wrapper, main, arguments), Redirect.INHERIT, /* withErrors= */ false);
  }

  /**
   * What a child has beside the options of all.
   *
   * @param options options of the JVM; they override the options that every child has
   * @param classesFirst directories of classes that replace the classes of this process, which runs
   *     from the class path
   * @param errors the file to which its standard error is appended; null for the standard error of
   *     this process
   */
  public record Own(List<String> options, List<Path> classesFirst, @Nullable Path errors) {

    /** Nothing beside the options of all. */
    public static final Own NOTHING = new Own(List.of(), List.of(), null);

    /** Copies the lists. */
    public Own {
      options = List.copyOf(options);
      classesFirst = List.copyOf(classesFirst);
    }
  }

  /**
   * Starts a child.
   *
   * @param own what it has beside the options of all
   * @param main its main class
   * @param arguments the arguments of its main method
   * @return the running child
   * @throws IllegalArgumentException if classes are to be replaced, and this process runs modules
   */
  public static ChildJvm start(Own own, Class<?> main, List<String> arguments) {
    List<String> command = command(List.of(), main, arguments);
    command.addAll(1 + OPTIONS.size() + ENVIRONMENT_OPTIONS.size(), own.options());
    if (!own.classesFirst().isEmpty()) {
      if (main.getModule().isNamed()) {
        throw new IllegalArgumentException("Classes of a module cannot be replaced.");
      }
      int path = command.indexOf("--class-path") + 1;
      command.set(
          path,
          own.classesFirst().stream().map(Path::toString).collect(Collectors.joining(":"))
              + ":"
              + command.get(path));
    }
    return start(
        command,
        own.errors() == null ? Redirect.INHERIT : Redirect.appendTo(own.errors().toFile()),
        /* withErrors= */ false);
  }

  private static List<String> command(List<String> wrapper, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    command.addAll(ENVIRONMENT_OPTIONS);
    String modulePath = System.getProperty("jdk.module.path");
    if (main.getModule().isNamed() && modulePath != null) {
      command.addAll(List.of("--enable-native-access=org.xerial.sqlitejdbc,ALL-UNNAMED"));
      command.addAll(List.of("--module-path", modulePath));
      // Libraries that no descriptor requires, such as RocksDB's, may be on one path and not on the
      // other.
      command.addAll(List.of("--class-path", System.getProperty("java.class.path")));
      command.addAll(List.of("--module", main.getModule().getName() + "/" + main.getName()));
    } else {
      command.addAll(List.of("--enable-native-access=ALL-UNNAMED"));
      command.addAll(List.of("--class-path", System.getProperty("java.class.path")));
      command.add(main.getName());
    }
    command.addAll(arguments);
    return command;
  }

  private static ChildJvm start(List<String> command, Redirect errors, boolean withErrors) {
    ProcessBuilder builder = new ProcessBuilder(command);
    if (withErrors) {
      builder.redirectErrorStream(true);
    } else {
      builder.redirectError(errors);
    }
    try {
      return new ChildJvm(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
  }

  /** {@return the process id} */
  public long pid() {
    return process.pid();
  }

  /**
   * Returns the next line, if one arrives in time.
   *
   * @param timeout the time to wait; zero or less to not wait
   * @return the line; empty if none arrived in time or no more will arrive, see {@link #ended}
   */
  public Optional<String> nextLine(Duration timeout) {
    if (ended) {
      return Optional.empty();
    }
    try {
      Optional<String> line = lines.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
      if (line == null) {
        return Optional.empty();
      }
      ended = line.isEmpty();
      return line;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for child " + pid(), e);
    }
  }

  /** {@return whether all lines of the child were returned and it can send no more} */
  public boolean ended() {
    return ended;
  }

  /**
   * Sends a line to the child.
   *
   * @param line the line to send
   */
  public void say(String line) {
    try {
      BufferedWriter writer = process.outputWriter(StandardCharsets.UTF_8);
      writer.write(line + "\n");
      writer.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("child " + pid() + " does not read its input", e);
    }
  }

  /** Kills the child with SIGKILL: no code of it runs after this. Its lines can still be read. */
  public void kill() {
    // Not Process.destroyForcibly, which also closes this end of the pipe: the lines of the child
    // would be lost, and with them the promises that it has made.
    process.toHandle().destroyForcibly();
  }

  /** Stops the child with SIGSTOP: none of its threads runs until {@link #resume}. */
  public void pause() {
    signal("STOP");
  }

  /** Lets a child that was paused go on. */
  public void resume() {
    signal("CONT");
  }

  /** Java sends no signals but the two that end a process. */
  private void signal(String name) {
    try {
      Process sender = new ProcessBuilder("kill", "-" + name, String.valueOf(pid())).start();
      if (sender.waitFor() != 0) {
        throw new IllegalStateException("cannot send SIG" + name + " to child " + pid());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot send SIG" + name + " to child " + pid(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while signalling child " + pid(), e);
    }
  }

  /**
   * Waits for the end of the child.
   *
   * @return its exit code; see {@link #wasKilled}
   */
  public int exitCode() {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for child " + pid(), e);
    }
  }

  /** {@return whether SIGKILL ended the child; waits for the end} */
  public boolean wasKilled() {
    return exitCode() == EXIT_KILLED;
  }

  /** Kills the child if it still runs, and waits until it is gone. */
  @Override
  public void close() {
    kill();
    exitCode();
  }

  private void readAll() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(Optional.of(line));
      }
    } catch (IOException e) {
      // The pipe of a killed process may end in an error instead of an end: nothing more can arrive
      // in either case.
      System.getLogger(ChildJvm.class.getName()).log(System.Logger.Level.DEBUG, "pipe", e);
    } finally {
      lines.add(Optional.empty());
    }
  }
}
