package dev.holdfast.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.runtime.internal.cache.ValueCache;
import dev.holdfast.runtime.internal.outbox.Outbox;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.runtime.internal.statistics.BusiestObjects;
import dev.holdfast.runtime.internal.statistics.NamespaceRecorder;
import dev.holdfast.runtime.internal.turn.Cancellation;
import dev.holdfast.runtime.internal.turn.DeadlockDetector;
import dev.holdfast.runtime.internal.turn.EngineFailure;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.runtime.internal.turn.Outgoing;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.TurnAdmission;
import dev.holdfast.spi.JournalArchive;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The turn of one instance, without a runtime around it: what fails there is up to the test. */
public final class LoneTurn {

  /** How often the instance has ended. */
  public final AtomicInteger ends = new AtomicInteger();

  /** The errors that have stopped the runtime. */
  public final List<Throwable> stops = new ArrayList<>();

  /** Makes the next attempt to stop the runtime fail. */
  public final AtomicBoolean stopFails = new AtomicBoolean();

  public volatile Runnable atStop = () -> {};
  public volatile ThreadFactory threads = Thread.ofVirtual().factory();
  public volatile Supplier<ObjectStore> storage =
      () -> {
        throw new AssertionError("nothing is stored");
      };

  public final EngineParts parts;
  public final Turn turn;

  public LoneTurn() {
    this(System.getLogger("dev.holdfast"));
  }

  public LoneTurn(System.Logger logger) {
    VirtualClock clock = new VirtualClock();
    EngineFailure failure = new EngineFailure();
    failure.onFailure(_ -> {}, this::stop);
    InMemoryJournal journal = new InMemoryJournal();
    EventLog log = new EventLog(logger, clock);
    this.parts =
        new EngineParts(
            journal,
            Map.of(),
            new NoRecovery(),
            clock,
            task -> threads.newThread(task),
            new SplittableRandom(1),
            new ValueCache(0),
            /* alarms= */ null,
            /* files= */ null,
            JournalArchive.NONE,
            new Outbox(
                journal,
                clock,
                log,
                task -> threads.newThread(task),
                null,
                _ -> StructuredClone.standard(),
                /* relay= */ null),
            log,
            failure,
            new DeadlockDetector(),
            List.of(),
            /* shardRules= */ false);
    this.turn =
        new Turn(
            parts,
            new ObjectKey("things", ObjectId.of(new byte[32], null)),
            () -> storage.get(),
            new NamespaceRecorder(clock, new BusiestObjects(clock)),
            () -> {
              ends.incrementAndGet();
              return null;
            },
            /* held= */ false);
  }

  private void stop(Throwable error) {
    if (stopFails.getAndSet(false)) {
      throw new OutOfMemoryError("again");
    }
    stops.add(error);
    atStop.run();
  }

  /** Makes a call by the current thread. */
  public Execution newCall() {
    return Execution.ofCall(turn, Thread.currentThread(), null);
  }

  /** Calls the object on the current thread. */
  public Execution deliver(Execution.Code code) {
    Execution call = newCall();
    assertThat(deliver(call, code)).as("delivered").isTrue();
    return call;
  }

  public static boolean deliver(Execution call, Execution.Code code) {
    return deliver(call, Cancellation.NEVER, code);
  }

  public static boolean deliver(Execution call, Cancellation cancellation, Execution.Code code) {
    return TurnAdmission.deliver(call, ExecutionStack.current(), 10, cancellation, code);
  }

  /** A message for whose thread there is no memory: the engine's own work, after the code. */
  public record Unsendable() implements Outgoing {
    @Override
    public void send(EngineParts from, long position) {
      throw new OutOfMemoryError("planned");
    }

    @Override
    public void drop(RuntimeException reason) {}
  }

  /** Of a caller that finds no memory before it parks for the second time. */
  public static class NoMemory implements Cancellation {
    private boolean hasParked;

    public void beforeTheError() {}

    @Override
    public final boolean isRequested() {
      if (hasParked) {
        beforeTheError();
        throw new OutOfMemoryError("planned");
      }
      hasParked = true;
      return false;
    }

    @Override
    public final boolean begin() {
      return true;
    }

    @Override
    public final boolean equals(Object other) {
      return other == this || other == Cancellation.NEVER; // so a worker may run its call
    }

    @Override
    public final int hashCode() {
      return 0;
    }
  }
}
