package dev.holdfast.runtime.internal.turn;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The executions of an instance that are in a wait, outside of the turn, or at work outside of it:
 * a reset wakes them, a close interrupts them. Those that wait for the disk are known, too, but
 * neither woken nor interrupted. Thread-safe.
 */
final class WaitingExecutions {

  /** In order of arrival; null for none, because an idle instance should cost little. */
  private @Nullable Set<Execution> executions;

  WaitingExecutions() {}

  /** {@return false if it is known already} */
  synchronized boolean add(Execution execution) {
    if (executions == null) {
      executions = new LinkedHashSet<>();
    }
    return executions.add(execution);
  }

  synchronized void remove(Execution execution) {
    if (executions != null) {
      executions.remove(execution);
      if (executions.isEmpty()) {
        executions = null;
      }
    }
  }

  /** Takes no memory: a reset wakes all of them also if there is none. */
  synchronized void wakeAll() {
    if (executions != null) {
      for (Execution each : executions) {
        if (!each.isForDisk()) {
          each.wake();
        }
      }
    }
  }

  void interruptAll() {
    for (Execution each : all()) {
      if (!each.isForDisk()) {
        each.interrupt();
      }
    }
  }

  /** {@return all of them} */
  synchronized List<Execution> all() {
    return executions == null ? List.of() : List.copyOf(executions);
  }
}
