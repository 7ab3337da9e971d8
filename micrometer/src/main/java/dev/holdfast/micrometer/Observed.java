package dev.holdfast.micrometer;

import dev.holdfast.filter.FilteredCall;
import dev.holdfast.filter.Headers;
import dev.holdfast.micrometer.CallContext.Kind;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One observation whose handlers cannot fail the call that they observe. Confined to the thread of
 * the filter, except {@link #hold}.
 */
final class Observed {

  private final ObservationRegistry registry;
  private final HandlerFailures failures;
  private final CallContext context;
  private final Observation observation;

  private Observation.@Nullable Scope outer;
  private Observation.@Nullable Scope scope;

  /** Orders the begin of the wait, on the thread that waits, and the end of the call. */
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private @Nullable Observation gate;
  private boolean isStopped;

  private Observed(ObservationRegistry registry, HandlerFailures failures, CallContext context) {
    this.registry = registry;
    this.failures = failures;
    this.context = context;
    this.observation = create(context);
  }

  static Observed send(ObservationRegistry registry, HandlerFailures failures, Headers headers) {
    return new Observed(registry, failures, new CallContext(Kind.SEND, null, headers));
  }

  static Observed call(
      ObservationRegistry registry, HandlerFailures failures, Kind kind, FilteredCall call) {
    CallContext.Target target =
        new CallContext.Target(call.namespace(), call.id(), call.operation());
    return new Observed(registry, failures, new CallContext(kind, target, call.headers()));
  }

  private Observation create(CallContext of) {
    try {
      Observation created =
          Observation.createNotStarted(of.kind().observation(), () -> of, registry);
      of.describe(created);
      return created;
    } catch (RuntimeException e) {
      failures.report(e);
      return Observation.NOOP;
    }
  }

  /** {@return the headers with which the call proceeds} */
  Headers headers() {
    return context.passedOn();
  }

  /** Starts, and becomes the observation of the current thread. */
  void start() {
    outer = registry.getCurrentObservationScope();
    try {
      observation.start();
      scope = observation.openScope();
    } catch (RuntimeException e) {
      registry.setCurrentObservationScope(outer);
      failures.report(e);
    }
  }

  void fail(Throwable failure) {
    try {
      observation.error(failure);
    } catch (RuntimeException e) {
      failures.report(e);
    }
  }

  /** Begins the wait at the output gate. Runs on the thread that waits. */
  void hold() {
    lock.lock();
    try {
      stop(gate); // the wait of a call that an inner filter has repeated
      if (!isStopped) {
        gate = create(context.ofOutputGate()).parentObservation(observation);
        gate.start();
      }
    } catch (RuntimeException e) {
      failures.report(e);
    } finally {
      lock.unlock();
    }
  }

  /** Ends the wait at the output gate, if there was one, and the observation. */
  void stop() {
    try {
      if (scope != null) {
        scope.close();
      }
    } catch (RuntimeException e) {
      failures.report(e);
    } finally {
      registry.setCurrentObservationScope(outer);
    }
    lock.lock();
    try {
      isStopped = true;
      stop(gate);
    } finally {
      lock.unlock();
    }
    stop(observation);
  }

  private void stop(@Nullable Observation ended) {
    if (ended == null) {
      return;
    }
    try {
      ended.stop();
    } catch (RuntimeException e) {
      failures.report(e);
    }
  }
}
