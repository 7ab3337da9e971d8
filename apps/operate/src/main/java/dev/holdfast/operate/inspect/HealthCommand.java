package dev.holdfast.operate.inspect;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthState;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The verb {@code inspect health}. Created and populated by the command line library. */
@Command(name = "health", description = "Says whether the runtime would work, and why not.")
final class HealthCommand implements Callable<Integer> {

  @Mixin private @Nullable DataDirectory directory;
  @Mixin private @Nullable Output output;

  @Override
  public Integer call() throws IOException {
    if (directory == null || output == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    Path copy = Files.createTempDirectory("holdfast-inspect");
    try {
      copy(directory.path(), copy);
      try (ObjectRuntime runtime = Holdfast.open(copy, _ -> {})) {
        print(runtime.health(), output);
        return runtime.health().state() == HealthState.UP ? 0 : 1;
      }
    } finally {
      delete(copy);
    }
  }

  private static void print(Health health, Output output) {
    if (output.isJson()) {
      List<Map<String, Object>> reasons =
          health.reasons().stream()
              .map(each -> Map.<String, Object>of("code", each.code(), "text", each.text()))
              .toList();
      output.printJson(Map.of("state", health.state().name(), "reasons", reasons));
      return;
    }
    output.out().println(health.state());
    health.reasons().forEach(each -> output.out().println(each.code() + ": " + each.text()));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Path copied = to.resolve(from.relativize(file));
        if (Files.isDirectory(file)) {
          Files.createDirectories(copied);
        } else {
          Files.copy(file, copied);
        }
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
        Files.delete(file);
      }
    }
  }
}
