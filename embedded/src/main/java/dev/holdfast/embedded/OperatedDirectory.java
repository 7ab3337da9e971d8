package dev.holdfast.embedded;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.inspect.InspectedRuntime;
import dev.holdfast.spi.inspect.Inspection;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A data directory that is opened to read or change its objects without their code: no alarm fires.
 *
 * @param inspected the runtime that has it open
 */
record OperatedDirectory(InspectedRuntime inspected) implements AutoCloseable {

  /**
   * Opens a directory to change its objects.
   *
   * @param engine has namespaces without code; those that the directory has are added
   */
  static OperatedDirectory open(Path data, Disk disk, EngineBuilder engine) {
    return open(found -> new Opening(data, disk, null, true, found), engine);
  }

  /**
   * Opens a directory.
   *
   * @param opening makes the opening of a receiver of the runtime
   * @param engine has namespaces without code; those that the directory has are added
   */
  static OperatedDirectory open(
      Function<Consumer<InspectedRuntime>, Opening> opening, EngineBuilder engine) {
    AtomicReference<InspectedRuntime> found = new AtomicReference<>();
    try (OpenedParts parts = new OpenedParts()) {
      SystemTimeSource time = parts.add(new SystemTimeSource());
      Holdfast.open(opening.apply(found::set), engine, time, time, parts);
      parts.handOver();
      return new OperatedDirectory(Objects.requireNonNull(found.get()));
    }
  }

  ObjectRuntime runtime() {
    return inspected.runtime();
  }

  Inspection inspection() {
    return inspected.inspection();
  }

  @Override
  public void close() {
    runtime().close();
  }
}
