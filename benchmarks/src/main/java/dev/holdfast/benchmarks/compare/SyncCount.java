package dev.holdfast.benchmarks.compare;

import dev.holdfast.benchmarks.compare.CompareCommand.Starter;
import dev.holdfast.benchmarks.compare.server.PeerFiles;
import dev.holdfast.benchmarks.harness.ClosedLoop.Call;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How many system calls that sync each peer makes for a write that it has acknowledged to one
 * caller that shares no sync with others: counted by strace, apart from what is measured. A peer of
 * this process is counted in a separate process.
 */
final class SyncCount {

  private static final int WRITES = 100;

  private static final String CALLS = "fsync,fdatasync,sync_file_range,msync,sync,syncfs";

  /** What a child prints before and after its writes. */
  private static final String MARK = "sync-count";

  private SyncCount() {}

  /** {@return the syncs of an acknowledged write, by the name of the peer that writes} */
  static Map<String, Double> ofAll(
      List<Starter> starters, PeerFiles files, Path directory, List<String> absent)
      throws Exception {
    Map<String, Double> counts = new HashMap<>();
    Path strace;
    try {
      strace = files.debian("usr/bin/strace");
    } catch (IllegalStateException e) {
      absent.add("strace, so no syncs are counted");
      return counts;
    }
    for (int i = 0; i < starters.size(); i++) {
      String name = starters.get(i).name();
      Path own = Files.createDirectories(directory.resolve("" + i));
      try {
        double count = ofOne(strace, i, own);
        if (count >= 0) {
          counts.put(name, count);
          System.out.printf("%s: %.2f syncs for an acknowledged write%n", name, count);
        }
      } catch (IOException e) {
        absent.add("the syncs of " + name + ", which could not be counted: " + e.getMessage());
      }
    }
    return counts;
  }

  private static double ofOne(Path strace, int starter, Path directory) throws Exception {
    Path log = directory.resolve("strace.log");
    List<String> command =
        new ArrayList<>(
            List.of(
                strace.toString(),
                "--seccomp-bpf",
                "-f",
                "-qq",
                "-e",
                "signal=none",
                "-e",
                "trace=" + CALLS,
                "-o",
                log.toString()));
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            "" + starter,
            directory.resolve("data").toString()));
    Process child =
        new ProcessBuilder(command).redirectError(directory.resolve("errors.log").toFile()).start();
    long before = -1;
    long after = -1;
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(MARK)) {
          after = count(log);
          before = before < 0 ? after : before;
          child.getOutputStream().write('\n');
          child.getOutputStream().flush();
        }
      }
    }
    int exit = child.waitFor();
    if (exit != 0) {
      throw new IOException("exit code " + exit);
    }
    return before < 0 ? -1 : (after - before) / (double) WRITES;
  }

  private static long count(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      // A call that another thread interrupts has two lines.
      return lines.filter(line -> line.contains("(") && !line.contains("resumed>")).count();
    }
  }

  /** The process that writes, with all that it starts. */
  static final class Child {

    private Child() {}

    public static void main(String[] arguments) throws Exception {
      Starter starter =
          CompareCommand.starters(CompareCommand.files()).get(Integer.parseInt(arguments[0]));
      try (Peer peer = starter.start().in(Path.of(arguments[1]));
          Session session = peer.session()) {
        if (peer.workloads().contains(Workload.PUT_ONE)) {
          Call put = Workload.PUT_ONE.call(session, 0);
          put.call();
          mark();
          for (int i = 0; i < WRITES; i++) {
            put.call();
          }
          mark();
        }
      }
      System.exit(0);
    }

    private static void mark() throws IOException {
      System.out.println(MARK);
      if (System.in.read() < 0) {
        throw new IOException("the parent has gone");
      }
    }
  }
}
