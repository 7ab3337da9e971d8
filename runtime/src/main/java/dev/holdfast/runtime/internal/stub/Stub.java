package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectStub;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.internal.filter.Carried;
import dev.holdfast.runtime.internal.filter.Filters;
import dev.holdfast.runtime.internal.instance.ShardRules;
import dev.holdfast.runtime.internal.turn.CalledFrom;
import dev.holdfast.runtime.internal.turn.Execution;
import dev.holdfast.runtime.internal.turn.ExecutionStack;
import dev.holdfast.spi.ObjectKey;
import java.time.Duration;
import java.util.Objects;
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
  private final Headers headers;
  private final T blocking;

  Stub(Namespace<T> namespace, ObjectId id, @Nullable Duration timeout, Headers headers) {
    this.namespace = namespace;
    this.id = id;
    this.key = new ObjectKey(namespace.name(), id);
    this.timeout = timeout;
    this.headers = headers;
    this.blocking = namespace.newProxy(new StubHandler(namespace, id, timeout, headers));
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
    Execution caller = stack.top();
    if (caller != null) {
      ShardRules.leaveFor(namespace.instances(), caller, id);
    }
    Filters filters = namespace.instances().filters();
    Headers carried = Headers.NONE;
    Carried context = Carried.NOTHING;
    if (filters != null) {
      try {
        carried = filters.capture(stack.headers());
        context = filters.context();
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
    CallFuture<R> future =
        new CallFuture<>(
            namespace.instances().parts(),
            stack.callOrder(),
            key,
            carried,
            namespace.instances().hasFreshThreads() ? CalledFrom.here() : null,
            context.with(() -> call.apply(blocking)));
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
    return new Stub<>(namespace, id, limit, headers);
  }

  @Override
  public ObjectStub<T> withHeaders(Headers changed) {
    return new Stub<>(namespace, id, timeout, changed);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Stub<?> that
        && namespace == that.namespace
        && id.equals(that.id)
        && Objects.equals(timeout, that.timeout)
        && headers.equals(that.headers);
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
