package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.cluster.shard.OwnedShard;
import dev.holdfast.cluster.value.Failures;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.filter.Headers;
import dev.holdfast.runtime.OutsideCalls;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handle for calling one object, wherever it is. Thread-safe.
 *
 * @param <T> the object's interface
 */
final class ClusterStub<T> implements ObjectStub<T>, InvocationHandler {

  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final ClusterNamespace<T> namespace;
  private final ObjectId id;
  private final @Nullable Duration timeout;
  private final Headers headers;
  private final T blocking;

  /**
   * What this stub calls while this node owns the object; null before the first call. Weak: a stub
   * that an application keeps must not keep the runtime of an ownership that has ended.
   */
  private volatile @Nullable WeakReference<Here<T>> here;

  /** The stub of one ownership, which has a runtime of its own. */
  private record Here<T>(ObjectRuntime runtime, ObjectStub<T> stub, InvocationHandler handler) {}

  /**
   * Creates a stub of an object.
   *
   * @param namespace of the object
   * @param id the object
   * @param timeout how long a call waits, more than zero; null for ever
   * @param headers what each call has
   */
  ClusterStub(
      ClusterNamespace<T> namespace, ObjectId id, @Nullable Duration timeout, Headers headers) {
    this.namespace = namespace;
    this.id = id;
    this.timeout = timeout;
    this.headers = headers;
    Class<T> type = namespace.type();
    this.blocking =
        type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
  }

  /** {@return the object's namespace} */
  ClusterNamespace<T> namespace() {
    return namespace;
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
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    @Nullable Object[] passed = arguments == null ? NO_ARGUMENTS : arguments;
    if (method.getDeclaringClass() == Object.class) {
      return switch (method.getName()) {
        case "equals" -> isProxyOfSameObject(passed[0]);
        case "hashCode" -> id.hashCode();
        default -> toString();
      };
    }
    OwnedShard open = namespace.shard(id).openObjects();
    if (open != null) {
      try {
        return invokeHere(open, method, passed, timeout);
      } catch (JournalFailedException | RuntimeClosedException e) {
        if (!OutsideCalls.isRefused(e)) {
          throw ClusterCalls.ofCluster(namespace.name(), id, e);
        } // else they were closed a moment ago, and another node has them next
      }
    }
    ClusterCalls.Call call =
        new ClusterCalls.Call(
            namespace.name(),
            namespace.name(),
            id,
            namespace.methods().method(method),
            timeout,
            headers);
    CompletableFuture<Void> earlier =
        OutsideCalls.isInObject() ? null : namespace.order().lastUnsent(id);
    return namespace
        .calls()
        .make(call, passed, (at, left) -> invokeHere(at, method, passed, left), earlier);
  }

  private @Nullable Object invokeHere(
      OwnedShard shard, Method method, @Nullable Object[] arguments, @Nullable Duration left)
      throws Throwable {
    if (!Objects.equals(left, timeout)) {
      return new ClusterStub<>(namespace, id, left, headers)
          .invokeHere(shard, method, arguments, left);
    }
    Here<T> made = here(shard);
    try {
      return made.handler().invoke(made.stub().blocking(), method, arguments);
    } catch (JournalFailedException | RuntimeClosedException e) {
      throw e; // of the ownership
    } catch (Throwable e) {
      throw Failures.asElsewhere(e, namespace.name(), id, method);
    }
  }

  private Here<T> here(OwnedShard shard) {
    WeakReference<Here<T>> kept = here;
    Here<T> known = kept == null ? null : kept.get();
    ObjectRuntime runtime = shard.runtime();
    if (known == null || !known.runtime().equals(runtime)) {
      ObjectStub<T> stub = ClusterCalls.stub(runtime, namespace.registered(), id, timeout, headers);
      known = new Here<>(runtime, stub, Proxy.getInvocationHandler(stub.blocking()));
      here = new WeakReference<>(known);
    }
    return known;
  }

  private boolean isProxyOfSameObject(@Nullable Object other) {
    return other != null
        && Proxy.isProxyClass(other.getClass())
        && Proxy.getInvocationHandler(other) instanceof ClusterStub<?> that
        && namespace == that.namespace
        && id.equals(that.id);
  }

  @Override
  public <R extends @Nullable Object> CompletableFuture<R> async(Call<? super T, R> call) {
    OwnedShard open = namespace.shard(id).openObjects();
    if (open != null) {
      return asyncHere(open, call);
    }
    if (OutsideCalls.isInObject()) {
      // Its turn has to end first; the object goes on when the other one has answered.
      CompletableFuture<R> done = new CompletableFuture<>();
      try {
        done.complete(call.apply(blocking));
      } catch (Exception e) {
        done.completeExceptionally(e);
      }
      return done;
    }
    try {
      OutsideCalls.awaitLeaving(); // the call is made on another thread
    } catch (JournalFailedException e) {
      return CompletableFuture.failedFuture(ClusterCalls.unsent(namespace.name(), id, e));
    }
    return namespace
        .order()
        .after(id, namespace.calls().carried().with(() -> call.apply(blocking)));
  }

  private <R extends @Nullable Object> CompletableFuture<R> asyncHere(
      OwnedShard shard, Call<? super T, R> call) {
    CompletableFuture<R> done = new CompletableFuture<>();
    // Calls through this stub: they go to another node if the objects are closed meanwhile.
    CompletableFuture<R> made = here(shard).stub().async(_ -> call.apply(blocking));
    CompletableFuture<R> _ =
        made.whenComplete(
            (result, failure) -> {
              if (failure == null) {
                done.complete(result);
              } else {
                done.completeExceptionally(ClusterCalls.ofCluster(namespace.name(), id, failure));
              }
            });
    CompletableFuture<R> _ =
        done.whenComplete(
            (_, _) -> {
              if (done.isCancelled()) {
                made.cancel(true);
              }
            });
    return done;
  }

  @Override
  public ObjectStub<T> withTimeout(Duration limit) {
    if (limit.isZero() || limit.isNegative()) {
      throw new IllegalArgumentException("The time-out must be more than zero: " + limit);
    }
    return new ClusterStub<>(namespace, id, limit, headers);
  }

  @Override
  public ObjectStub<T> withHeaders(Headers changed) {
    return new ClusterStub<>(namespace, id, timeout, changed);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ClusterStub<?> that
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
