package dev.holdfast.benchmarks.soak;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** Takes samples of this process and of a data directory. Linux only. */
final class Probe {

  private static final double MIB = 1 << 20;
  private static final double P99 = 99;

  private final Path directory;
  private final long begin = System.nanoTime();
  private long before = begin;

  Probe(Path directory) {
    this.directory = directory;
  }

  /** {@return a sample} Collects garbage, so the pause must not fall into the next latencies. */
  Sample take(Histogram latencies) throws IOException {
    long now = System.nanoTime();
    double elapsed = (now - before) / (double) TimeUnit.SECONDS.toNanos(1);
    System.gc();
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    Usage usage = usage();
    return new Sample(
        (now - begin) / (double) TimeUnit.SECONDS.toNanos(1),
        latencies.getTotalCount() / elapsed,
        micros(latencies, 50),
        micros(latencies, P99),
        heap.getUsed() / MIB,
        residentBytes() / MIB,
        count(Path.of("/proc/self/fd")),
        count(Path.of("/proc/self/task")),
        usage.files,
        usage.bytes / MIB);
  }

  /** The next sample's rate counts from here. */
  void begin() {
    before = System.nanoTime();
  }

  private static double micros(Histogram latencies, double percentile) {
    return TimeUnit.NANOSECONDS.toMicros(latencies.getValueAtPercentile(percentile));
  }

  private static double residentBytes() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("RssAnon:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .sum();
    }
  }

  private static double count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.count();
    }
  }

  private record Usage(long files, long bytes) {}

  private Usage usage() throws IOException {
    long[] found = new long[2];
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            found[0]++;
            found[1] += attributes.size();
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof java.nio.file.NoSuchFileException) {
              return FileVisitResult.CONTINUE; // deleted or renamed since its directory was read
            }
            throw e;
          }
        });
    return new Usage(found[0], found[1]);
  }
}
