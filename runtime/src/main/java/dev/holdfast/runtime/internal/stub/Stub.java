package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectStub;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.ObjectKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handle for calling one object. Immutable.
 *
 * @param <T> the object's interface
 */
final class Stub<T> implements ObjectStub<T> {

  private final Namespace<T> namespace;
  private final ObjectId id;
  private final ObjectKey key;
  private final @Nullable Duration timeout;
  private final T blocking;

  Stub(Namespace<T> namespace, ObjectId id, @Nullable Duration timeout) {
    this.namespace = namespace;
    this.id = id;
    this.key = new ObjectKey(namespace.name(), id);
    this.timeout = timeout;
    this.blocking = namespace.newProxy(new StubHandler(namespace, id, timeout));
  }

  @Override
  public ObjectId id() {
    return id;
  }

  @Override
  public T blocking() {
    return blocking;
  }

  @Override
  public <R extends @Nullable Object> CompletableFuture<R> async(Call<? super T, R> call) {
    ExecutionStack stack = ExecutionStack.current();
    stack.enterEngine();
    CallFuture<R> future =
        new CallFuture<>(
            namespace.instances().parts(), stack.callOrder(), key, () -> call.apply(blocking));
    Execution caller = stack.top();
    try {
      if (caller != null && caller.isCurrentOrReset()) {
        // Sent when the turn is sealed: a call that ran earlier could survive a crash that loses
        // the caller's earlier writes.
        caller.turn().check();
        caller.turn().work().send(future);
      } else {
        stack.passOn(future);
      }
    } catch (RuntimeException | Error e) {
      // It was not sent: later calls must not wait for it.
      future.fail(e);
      throw e;
    }
    return future;
  }

  @Override
  public ObjectStub<T> withTimeout(Duration limit) {
    if (limit.isZero() || limit.isNegative()) {
      throw new IllegalArgumentException("The time-out must be more than zero: " + limit);
    }
    return new Stub<>(namespace, id, limit);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Stub<?> that
        && namespace == that.namespace
        && id.equals(that.id)
        && java.util.Objects.equals(timeout, that.timeout);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return namespace.name() + "/" + id;
  }
}
