package dev.holdfast.benchmarks.compare.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of a peer, with its children. Its output is a file beside its data. */
final class ServerProcess implements AutoCloseable {

  private static final int START_TRIES = 300;
  private static final long TRY_MILLIS = 100;
  private static final long STOP_SECONDS = 10;

  /** The unit of {@code /proc/PID/stat}, which Linux fixes for programs. */
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Process process;
  private final Path log;

  private ServerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a process.
   *
   * @param command the command
   * @param environment added to the environment of this process
   * @param directory its working directory; its output is beside it
   * @return the process, which may not listen yet
   */
  static ServerProcess start(List<String> command, Map<String, String> environment, Path directory)
      throws IOException {
    Files.createDirectories(directory);
    Path log = directory.resolve("output.log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    return new ServerProcess(builder.start(), log);
  }

  /** {@return a port of the loopback that nothing listens on now} */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Waits until the process listens on a port. */
  void awaitPort(int port) throws IOException, InterruptedException {
    for (int i = 0; i < START_TRIES; i++) {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return;
      } catch (IOException e) {
        if (!process.isAlive()) {
          break;
        }
        process.waitFor(TRY_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    close();
    throw new IOException("it does not listen on port " + port + "; its output: " + tail());
  }

  private String tail() throws IOException {
    String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    return text.substring(Math.max(0, text.length() - 500));
  }

  /** {@return the processor time of the process and of all processes below it} */
  long cpuNanos() {
    return Stream.concat(Stream.of(process.toHandle()), process.descendants())
        .mapToLong(each -> ticks(each.pid()) * TICK_NANOS)
        .sum();
  }

  private static long ticks(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      // The name of the program is in brackets and may have blanks in it.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      long own = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
      return own + Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
    } catch (IOException e) {
      return 0; // it has ended; its parent counts it
    }
  }

  @Override
  public void close() {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroy);
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    all.forEach(ProcessHandle::destroyForcibly);
  }
}
