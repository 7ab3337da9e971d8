package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.statistics.ExecutionStatus.Activity;
import dev.holdfast.statistics.ExecutionStatus.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows which executions there are, and how long at least each has run. A call reads no clock: the
 * sweeper looks at each tick, and remembers when it has seen an execution first. Thread-safe.
 */
final class ExecutionWatch {

  private final EngineParts parts;
  private final Collection<Instances> namespaces;

  /** When each execution of the last look was seen first, in monotonic nanoseconds. */
  private volatile Map<Execution, Long> seen = Map.of();

  ExecutionWatch(EngineParts parts, Collection<Instances> namespaces) {
    this.parts = parts;
    this.namespaces = namespaces;
  }

  /** A look at the executions of all instances, one after the other. Confined to its thread. */
  final class Look {

    private final long nowNanos = parts.time().monotonicNanos();
    private final Set<Execution> found = new LinkedHashSet<>();

    void at(Instance instance) {
      instance.executions(this::add);
    }

    /** A call and those that wait for it: they have no turn and do not wait themselves. */
    private void add(Execution execution) {
      for (Execution each = execution;
          each != null && each.turn().parts().isSameRuntime(parts);
          each = each.outer()) {
        found.add(each);
      }
    }

    /** Remembers what it has found; to be called by one thread at a time. */
    void end() {
      Map<Execution, Long> before = seen;
      Map<Execution, Long> after = new HashMap<>();
      found.forEach(each -> after.put(each, before.getOrDefault(each, nowNanos)));
      seen = after;
    }
  }

  /** Begins a look. */
  Look look() {
    return new Look();
  }

  /**
   * Looks at the executions now.
   *
   * @param age only those that are known to have run as long; zero for all
   * @param withStacks whether to take the stacks of their threads
   * @return the executions, the oldest first
   */
  List<ExecutionStatus> executions(Duration age, boolean withStacks) {
    Look look = look();
    namespaces.forEach(each -> each.forEach(look::at));
    Map<Execution, Long> known = seen;
    List<ExecutionStatus> all = new ArrayList<>();
    for (Execution each : look.found) {
      Duration own = Duration.ofNanos(look.nowNanos - known.getOrDefault(each, look.nowNanos));
      if (own.compareTo(age) >= 0) {
        all.add(status(each, own, withStacks));
      }
    }
    all.sort(Comparator.comparing(ExecutionStatus::age).reversed());
    return all;
  }

  /**
   * Finds what has run too long, as of the last look. Tasks may run as long as they like while they
   * wait.
   *
   * @param max the limit
   * @return the executions that have run longer, the oldest first
   */
  List<ExecutionStatus> longerThan(Duration max) {
    long nowNanos = parts.time().monotonicNanos();
    long maxNanos = Delays.nanosOf(max);
    List<ExecutionStatus> found = new ArrayList<>();
    seen.forEach(
        (each, sinceNanos) -> {
          if (nowNanos - sinceNanos > maxNanos && !each.isOver()) {
            ExecutionStatus status =
                status(each, Duration.ofNanos(nowNanos - sinceNanos), /* withStack= */ false);
            if (status.kind() != Kind.TASK || holds(status.activity())) {
              found.add(status);
            }
          }
        });
    found.sort(Comparator.comparing(ExecutionStatus::age).reversed());
    return found;
  }

  private static ExecutionStatus status(Execution execution, Duration age, boolean withStack) {
    ObjectKey key = execution.turn().key();
    Execution.Operation operation = execution.operation();
    Activity activity = execution.activity();
    ObjectKey called = holds(activity) ? null : called(execution);
    return new ExecutionStatus(
        key.namespace(),
        key.id().toString(),
        key.id().name(),
        operation == null ? Kind.CALL : operation.kind(),
        operation == null ? "" : operation.operationName(),
        called == null ? activity : Activity.WAITS_FOR_CALL,
        Optional.ofNullable(called).map(each -> each.namespace() + "/" + idText(each.id())),
        age,
        execution.turn().queueLength(),
        withStack ? List.of(execution.stackTrace()) : List.of());
  }

  private static boolean holds(Activity activity) {
    return activity == Activity.RUNS || activity == Activity.RUNS_AFTER_RESET;
  }

  /** The object that an execution waits for; null if it waits for something else. */
  private static @Nullable ObjectKey called(Execution execution) {
    return switch (execution.waitsFor()) {
      case Execution call -> call.turn().key();
      case TimedCall call -> call.called();
      case null, default -> null;
    };
  }

  private static String idText(ObjectId id) {
    return id.name().orElseGet(id::toString);
  }
}
