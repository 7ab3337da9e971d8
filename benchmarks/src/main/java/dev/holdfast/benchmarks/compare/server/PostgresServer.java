package dev.holdfast.benchmarks.compare.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL from Debian with an empty cluster, for peers that keep their data in it. */
final class PostgresServer implements AutoCloseable {

  /** What each of them syncs. */
  static final String DURABILITY =
      "synchronous_commit=on: fdatasync of its log in each commit; commits may share it";

  static final String USER = "bench";

  /** PostgreSQL refuses to run as root: the number of Debian's user without rights. */
  private static final String NOBODY = "65534";

  private final ServerProcess process;
  private final int port;

  private PostgresServer(ServerProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Makes a cluster and starts it. */
  static PostgresServer start(PeerFiles files, Path directory) throws Exception {
    Path data = ownDirectory(files, directory);
    run(
        unprivileged(
            program(files, "initdb"),
            "-D",
            data.toString(),
            "-U",
            USER,
            "--auth=trust",
            "-L",
            files.debian("usr/share/postgresql/15").toString()),
        files);
    return start(files, directory, data);
  }

  /** Copies the cluster of this server, and starts a server that follows this one. */
  PostgresServer startStandby(PeerFiles files, Path directory) throws Exception {
    Path data = ownDirectory(files, directory);
    run(
        unprivileged(
            program(files, "pg_basebackup"),
            "-D",
            data.toString(),
            "-h",
            "127.0.0.1",
            "-p",
            "" + port,
            "-U",
            USER,
            "-R",
            "-X",
            "stream",
            "--checkpoint=fast"),
        files);
    return start(files, directory, data);
  }

  private static PostgresServer start(PeerFiles files, Path directory, Path data) throws Exception {
    int port = ServerProcess.freePort();
    ServerProcess process =
        ServerProcess.start(
            unprivileged(
                program(files, "postgres"),
                "-D",
                data.toString(),
                "-p",
                "" + port,
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "jit=off"),
            files.libraries(),
            directory);
    process.awaitPort(port);
    return new PostgresServer(process, port);
  }

  /** An empty directory that the server's user may use alone, as the server wants it. */
  private static Path ownDirectory(PeerFiles files, Path directory) throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    if (isRoot()) {
      run(List.of("chown", NOBODY, data.toString()), files);
    }
    return data;
  }

  private static String program(PeerFiles files, String name) {
    return files.debian("usr/lib/postgresql/15/bin").resolve(name).toString();
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private static List<String> unprivileged(String... command) {
    List<String> whole = new ArrayList<>();
    if (isRoot()) {
      whole.addAll(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
    }
    whole.addAll(List.of(command));
    return whole;
  }

  private static void run(List<String> command, PeerFiles files) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(files.libraries());
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(command.getFirst() + " failed: " + output);
    }
  }

  /** {@return where it is reached, by {@link #USER} without a password} */
  String url() {
    return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
  }

  /** {@return the processor time that its processes have used} */
  long cpuNanos() {
    return process.cpuNanos();
  }

  @Override
  public void close() {
    process.close();
  }
}
