package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ScheduledTask;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.filter.Carried;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.outbox.Outbox;
import dev.holdfast.runtime.internal.storage.GatedStorage;
import dev.holdfast.runtime.internal.storage.ObjectAlarms;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.Sections;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.runtime.internal.turn.TurnAdmission;
import dev.holdfast.runtime.internal.turn.Waits;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.storage.ObjectStorage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What the code of one instance sees of the engine. Used in the object's turn only. */
final class InstanceContext implements ObjectContext {

  private final Instance instance;
  private final Turn turn;
  private final GatedStorage storage;

  InstanceContext(Instance instance) {
    this.instance = instance;
    this.turn = instance.turn();
    this.storage =
        new GatedStorage(
            turn,
            instance.home().options(),
            instance.home().values(),
            new ObjectAlarms(turn, instance));
  }

  /** The instance has ended, or something else than its storage has written its keys. */
  void dropCache() {
    storage.dropCache();
  }

  @Override
  public ObjectId id() {
    return turn.key().id();
  }

  @Override
  public String namespace() {
    return turn.key().namespace();
  }

  @Override
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    return instance.home().namespaces().namespace(name, type);
  }

  @Override
  public InstantSource clock() {
    return turn.parts().time();
  }

  @Override
  public ObjectStorage storage() {
    return storage;
  }

  @Override
  public <T extends @Nullable Object> T await(CompletionStage<T> stage) {
    return Waits.await(turn, stage);
  }

  @Override
  public <T extends @Nullable Object> T call(Callable<T> work) throws Exception {
    return Waits.call(turn, work);
  }

  @Override
  public <T extends @Nullable Object> CompletableFuture<T> async(Callable<T> code) {
    Execution starter = turn.check();
    turn.enterEngine();
    AsyncTask<T> task = new AsyncTask<>(instance, context().with(code));
    Execution execution = Execution.ofEvent(turn, task);
    execution.inherit(starter);
    task.future().setProducer(execution);
    instance.pin();
    TurnAdmission.enqueue(execution);
    return task.future();
  }

  @Override
  public ScheduledTask schedule(Duration delay, Runnable task) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("The delay of a timer must not be negative: " + delay);
    }
    Execution starter = turn.check();
    turn.enterEngine();
    ObjectTimer timer = new ObjectTimer(instance, context().with(task));
    timer.execution().inherit(starter);
    instance.timerAdded(timer);
    try {
      timer.start(turn.parts().time(), Delays.nanosOf(delay));
    } catch (RuntimeException | Error e) {
      // A timer that never fires must not keep the instance.
      instance.timerEnded(timer);
      throw e;
    }
    return timer;
  }

  /** What a task or a timer gets of the thread that starts it. */
  private Carried context() {
    Filters filters = instance.home().filters();
    return filters == null ? Carried.NOTHING : filters.context();
  }

  @Override
  public void waitUntil(CompletionStage<?> stage) {
    turn.check();
    turn.enterEngine();
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
    return Sections.run(turn, instance.home().options().criticalSectionTimeout(), closure);
  }

  @Override
  public void afterDurable(Runnable action) {
    Objects.requireNonNull(action, "action");
    turn.check();
    turn.enterEngine();
    turn.work().afterDurable(context().with(action));
  }

  @Override
  public void publish(String topic, Object event) {
    turn.check();
    turn.enterEngine();
    ObjectKey key = turn.key();
    byte[] value = Outbox.encode(instance.home().values(), key, topic, event);
    Outbox outbox = turn.parts().outbox();
    turn.work().afterDurable(context().with(() -> outbox.publish(key, topic, value)));
  }

  @Override
  public void emit(String topic, Object event) {
    turn.check();
    turn.enterEngine();
    turn.work().emit(topic, Outbox.encode(instance.home().values(), turn.key(), topic, event));
  }

  @Override
  public RuntimeException abort(@Nullable String reason) {
    throw turn.abort(
        reason != null ? reason : "Application called abort() to reset Durable Object.");
  }
}
