package dev.holdfast.launcher.process;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A second JVM with the class path of this one, which speaks in lines and can be killed at any
 * moment.
 *
 * <p>What it has written into its standard output before the kill is not lost, because the pipe
 * outlives it: so a line is a promise the child has made. Its standard error is ours, unless it was
 * asked for as lines too. Owned by one thread.
 */
public final class ChildJvm implements AutoCloseable {

  /** What a shell says of a process that SIGKILL has ended. */
  private static final int EXIT_KILLED = 128 + 9;

  private static final List<String> OPTIONS = List.of("-Xmx512m", "-XX:+UseSerialGC");

  private final Process process;

  /** What the child said and we have not read; an empty one is the end. */
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
   * Starts a child whose standard error comes as lines too, for who has to tell why it failed.
   *
   * @param main its main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm startWithErrors(Class<?> main, List<String> arguments) {
    return startWithErrors(List.of(), main, arguments);
  }

  /**
   * Starts a child with options of its own, whose standard error comes as lines too.
   *
   * @param options of the JVM; they win over those that every child has, such as its heap of 512
   *     MiB
   * @param main its main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm startWithErrors(
      List<String> options, Class<?> main, List<String> arguments) {
    List<String> command = command(List.of(), main, arguments);
    command.addAll(1 + OPTIONS.size(), options);
    return start(command, true);
  }

  /**
   * Starts a child through another program.
   *
   * @param wrapper a command that runs the command that is appended to it, in place of itself
   * @param main the child's main class
   * @param arguments the arguments of its main method
   * @return the running child
   */
  public static ChildJvm start(List<String> wrapper, Class<?> main, List<String> arguments) {
    return start(command(wrapper, main, arguments), false);
  }

  private static List<String> command(List<String> wrapper, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(OPTIONS);
    String modulePath = System.getProperty("jdk.module.path");
    if (main.getModule().isNamed() && modulePath != null) {
      command.addAll(List.of("--enable-native-access=org.xerial.sqlitejdbc,ALL-UNNAMED"));
      command.addAll(List.of("--module-path", modulePath));
      // What no descriptor requires, RocksDB's library for one, may be there and not here.
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

  private static ChildJvm start(List<String> command, boolean withErrors) {
    ProcessBuilder builder = new ProcessBuilder(command);
    if (withErrors) {
      builder.redirectErrorStream(true);
    } else {
      builder.redirectError(ProcessBuilder.Redirect.INHERIT);
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
   * Returns the next line, if one comes in time.
   *
   * @param patience how long to wait; zero or less for not at all
   * @return the line; empty if none came in time or none will come any more, see {@link #ended}
   */
  public Optional<String> nextLine(Duration patience) {
    if (ended) {
      return Optional.empty();
    }
    try {
      Optional<String> line = lines.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
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

  /** {@return whether everything the child has said was returned and it can say no more} */
  public boolean ended() {
    return ended;
  }

  /**
   * Says a line to the child.
   *
   * @param line what to say
   */
  public void say(String line) {
    try {
      BufferedWriter writer = process.outputWriter(StandardCharsets.UTF_8);
      writer.write(line + "\n");
      writer.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("child " + pid() + " does not listen", e);
    }
  }

  /** Kills the child with SIGKILL: no code of it runs after this. Its lines can still be read. */
  public void kill() {
    // Not Process.destroyForcibly, which closes the pipe on our side too: what the child has said
    // would be lost, and with it the knowledge of what it has promised.
    process.toHandle().destroyForcibly();
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

  /** {@return whether it was SIGKILL that ended the child; waits for the end} */
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
      // The pipe of a killed process may end in an error instead of an end: nothing more can come
      // in either case.
      System.getLogger(ChildJvm.class.getName()).log(System.Logger.Level.DEBUG, "pipe", e);
    } finally {
      lines.add(Optional.empty());
    }
  }
}
