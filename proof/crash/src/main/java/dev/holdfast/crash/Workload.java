package dev.holdfast.crash;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.crash.Cell.Reply;
import dev.holdfast.crash.Cell.StepException;
import java.util.stream.IntStream;

/**
 * The objects of a crash test, and how to call them. Immutable and thread-safe.
 *
 * @param seed the seed of their writes
 * @param cellCount the number of cells
 * @param storage where they keep their data
 */
public record Workload(long seed, int cellCount, CrashStorage storage) {

  /**
   * Registers the objects.
   *
   * @param objects the registrar
   * @param options the options of their namespaces
   */
  public void register(ObjectRegistrar objects, NamespaceOptions options) {
    StepPlan plan = new StepPlan(seed);
    objects
        .namespace(
            CellObject.NAMESPACE,
            Cell.class,
            context -> new CellObject(context, plan, storage.cells()),
            options.withStorage(storage.cells()))
        .namespace(
            MirrorObject.NAMESPACE,
            Mirror.class,
            context -> new MirrorObject(context, storage.mirrors()),
            options.withStorage(storage.mirrors()))
        .namespace(
            PastObject.NAMESPACE,
            Past.class,
            context -> new PastObject(context, plan, storage.cells()),
            options.withStorage(storage.cells()));
  }

  /**
   * Makes a cell take its next step.
   *
   * @param runtime its runtime
   * @param cell the cell
   * @param abort whether it is reset in the middle of it
   * @return the answer, even if the step ends in an exception of the cell
   */
  public Reply step(ObjectRuntime runtime, int cell, boolean abort) {
    try {
      return cells(runtime).getByName(String.valueOf(cell)).step(abort);
    } catch (StepException e) {
      return new Reply(e.seq(), true);
    }
  }

  /**
   * Reads the contents of all objects.
   *
   * @param runtime their runtime
   * @return their contents
   */
  public Snapshot read(ObjectRuntime runtime) {
    Snapshot snapshot = new Snapshot();
    ObjectNamespace<Cell> cells = cells(runtime);
    ObjectNamespace<Mirror> mirrors = runtime.namespace(MirrorObject.NAMESPACE, Mirror.class);
    IntStream.range(0, cellCount)
        .forEach(cell -> snapshot.cell(cell, cells.getByName(String.valueOf(cell)).dump()));
    IntStream.range(0, MirrorObject.MIRROR_COUNT)
        .forEach(
            mirror -> snapshot.mirror(mirror, mirrors.getByName(String.valueOf(mirror)).dump()));
    return snapshot;
  }

  /**
   * {@return whether an error only reports that a cell was asked to abort}
   *
   * @param failure the error
   */
  public static boolean isAbort(Throwable failure) {
    return String.valueOf(failure.getMessage()).contains(CellObject.ABORT_REASON);
  }

  private static ObjectNamespace<Cell> cells(ObjectRuntime runtime) {
    return runtime.namespace(CellObject.NAMESPACE, Cell.class);
  }
}
