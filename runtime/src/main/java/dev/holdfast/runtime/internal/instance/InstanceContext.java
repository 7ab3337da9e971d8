package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ScheduledTask;
import dev.holdfast.runtime.internal.storage.GatedStorage;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.CriticalSections;
import dev.holdfast.runtime.internal.turn.Delays;
import dev.holdfast.runtime.internal.turn.EventQueueing;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Turns;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the code of one instance sees of the engine. Used in the object's turn only. */
final class InstanceContext implements ObjectContext {

  private final Instance instance;
  private final Turns turns;
  private final GatedStorage storage;

  InstanceContext(Instance instance) {
    this.instance = instance;
    this.turns = instance.turns();
    this.storage =
        new GatedStorage(
            turns, instance.home().options(), new ObjectAlarms(turns, instance::canHandleAlarms));
  }

  /** The instance has ended. */
  void end() {
    storage.end();
  }

  @Override
  public ObjectId id() {
    return turns.key().id();
  }

  @Override
  public String namespace() {
    return turns.key().namespace();
  }

  @Override
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    return instance.home().namespaces().namespace(name, type);
  }

  @Override
  public ObjectStorage storage() {
    return storage;
  }

  @Override
  public <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    return Waits.await(turns, stage);
  }

  @Override
  public <T extends @Nullable Object> T call(Callable<T> work) throws Exception {
    return Waits.call(turns, work);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> async(Callable<T> code) {
    Execution starter = turns.check();
    Strand<T> strand = new Strand<>(instance, code);
    Execution execution = Execution.ofEvent(turns, strand);
    execution.moveTo(starter.place());
    strand.future().setProducer(execution);
    instance.pin();
    EventQueueing.enqueue(execution);
    return strand.future();
  }

  @Override
  public ScheduledTask schedule(Duration delay, Runnable task) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("The delay of a timer must not be negative: " + delay);
    }
    Execution starter = turns.check();
    ObjectTimer timer = new ObjectTimer(instance, task);
    timer.execution().moveTo(starter.place());
    instance.timerAdded(timer);
    try {
      timer.start(turns.services().time(), Delays.nanosOf(delay));
    } catch (RuntimeException | Error e) {
      // A timer that never fires must not keep the instance.
      instance.timerEnded(timer);
      throw e;
    }
    return timer;
  }

  @Override
  public void waitUntil(CompletionStage<?> stage) {
    turns.check();
    instance.pin();
    try {
      stage.whenComplete((_, _) -> instance.unpin());
    } catch (RuntimeException | Error e) {
      // A stage of the application's own may refuse.
      instance.unpin();
      throw e;
    }
  }

  @Override
  public <T extends @Nullable Object> T blockConcurrencyWhile(Callable<T> closure) {
    return CriticalSections.run(turns, instance.home().options().criticalSectionTimeout(), closure);
  }

  @Override
  public RuntimeException abort(@Nullable String reason) {
    throw turns.abort(
        reason != null ? reason : "Application called abort() to reset Durable Object.");
  }
}
