package dev.holdfast.benchmarks.harness;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The machine of a run.
 *
 * @param processor its name
 * @param processors the number that the JVM may use
 * @param kernel the operating system
 * @param fileSystem the file system of the data
 * @param java the JVM
 * @param jvmArguments the arguments of the JVM
 * @param commit the commit of the working copy, with {@code +changes} if it was not clean
 * @param loadBefore load average before the run; a figure taken on a busy machine means little
 */
public record Machine(
    String processor,
    int processors,
    String kernel,
    String fileSystem,
    String java,
    List<String> jvmArguments,
    String commit,
    double loadBefore) {

  public static Machine current(Path data) throws IOException {
    return new Machine(
        processorName(),
        Runtime.getRuntime().availableProcessors(),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        Files.getFileStore(data).type(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(each -> each.startsWith("-X"))
            .toList(),
        headCommit(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static String processorName() throws IOException {
    Path info = Path.of("/proc/cpuinfo");
    if (!Files.exists(info)) {
      return System.getProperty("os.arch", "unknown");
    }
    try (Stream<String> lines = Files.lines(info)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    }
  }

  private static String headCommit() throws IOException {
    String commit = git("rev-parse", "--short=12", "HEAD");
    return git("status", "--porcelain", "-uno").isEmpty() ? commit : commit + "+changes";
  }

  private static String git(String... arguments) throws IOException {
    List<String> command = Stream.concat(Stream.of("git"), Stream.of(arguments)).toList();
    Process git =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }
}
