package dev.holdfast.embedded;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Opening.ForOperators;
import dev.holdfast.embedded.parts.OpenedParts;
import dev.holdfast.operator.Operations;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.runtime.SystemTimeSource;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.inspect.Inspection;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A data directory that is opened to change its objects without their code: no alarm fires.
 *
 * @param runtime has the objects
 * @param operations on them
 * @param inspection reads them
 */
record OperatedDirectory(ObjectRuntime runtime, Operations operations, Inspection inspection)
    implements AutoCloseable {

  /**
   * Opens a directory.
   *
   * @param engine has namespaces without code; those that the directory has are added
   */
  static OperatedDirectory open(Path data, Disk disk, EngineBuilder engine) {
    AtomicReference<ForOperators> found = new AtomicReference<>();
    try (OpenedParts parts = new OpenedParts()) {
      SystemTimeSource time = parts.add(new SystemTimeSource());
      ObjectRuntime runtime =
          Holdfast.open(
              new Opening(data, disk, /* origin= */ null, /* isWithoutCode= */ true, found::set),
              engine,
              time,
              time,
              parts);
      parts.handOver();
      ForOperators operators = Objects.requireNonNull(found.get());
      return new OperatedDirectory(runtime, operators.operations(), operators.inspection());
    }
  }

  @Override
  public void close() {
    runtime.close();
  }
}
