package dev.holdfast.runtime.internal.turn;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The executions of an instance that are in a wait, outside of the turn, or at work outside of it:
 * a reset wakes them, a close interrupts them. Thread-safe.
 */
final class WaitingExecutions {

  /** In order of arrival; null for none, because an idle instance should cost little. */
  private @Nullable Set<Execution> executions;

  /**
   * Those that wait until something is durable, which neither wakes nor interrupts; null for none.
   */
  private @Nullable Set<Execution> forDisk;

  WaitingExecutions() {}

  synchronized void addForDisk(Execution execution) {
    if (forDisk == null) {
      forDisk = new LinkedHashSet<>(1);
    }
    forDisk.add(execution);
  }

  synchronized void removeForDisk(Execution execution) {
    if (forDisk != null) {
      forDisk.remove(execution);
      if (forDisk.isEmpty()) {
        forDisk = null;
      }
    }
  }

  synchronized boolean isForDisk(Execution execution) {
    return forDisk != null && forDisk.contains(execution);
  }

  /** {@return all of both kinds} */
  synchronized List<Execution> all() {
    List<Execution> all = new ArrayList<>();
    if (executions != null) {
      all.addAll(executions);
    }
    if (forDisk != null) {
      all.addAll(forDisk);
    }
    return all;
  }

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
      executions.forEach(Execution::wake);
    }
  }

  void interruptAll() {
    interruptible().forEach(Execution::interrupt);
  }

  private synchronized List<Execution> interruptible() {
    return executions == null ? List.of() : List.copyOf(executions);
  }
}
