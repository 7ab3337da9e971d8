package dev.holdfast.spi.inspect;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.OperatorOperation;
import java.util.Map;

/**
 * An open runtime, as operators see it.
 *
 * @param runtime the runtime; closed by its owner
 * @param inspection reads its objects
 * @param lastPosition the last record of the journal that is shown
 * @param operations the operations of the application, by name
 * @param jobs what operators have started, whichever way they came
 */
public record InspectedRuntime(
    ObjectRuntime runtime,
    Inspection inspection,
    long lastPosition,
    Map<String, OperatorOperation> operations,
    OperatorJobs jobs) {

  /** Copies the operations. */
  public InspectedRuntime {
    operations = Map.copyOf(operations);
  }
}
