package dev.holdfast;

import dev.holdfast.filter.Headers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handle for calling one object, blocking or asynchronously.
 *
 * <p>A stub is cheap, holds no instance and stays usable: after a reset or an eviction the next
 * call reaches a fresh instance with the state of the last complete turn. (The reference runtime
 * breaks its stubs for good instead; calls in flight fail in both.)
 *
 * <p><b>Order.</b> The calls of one caller to one object are delivered in the order in which they
 * are made, also through different stubs of that object: each asynchronous call after the earlier
 * asynchronous calls, and each direct call, through {@link #blocking()}, after them too. Delivered
 * means that the call is in the object's queue, or runs. A call that fails before that, or is
 * withdrawn, is left out, and the others keep their order. The rules:
 *
 * <ul>
 *   <li>A caller is a thread outside of all objects, or an object. All executions of an object's
 *       instance are one caller; a direct call of one execution and a concurrent asynchronous call
 *       of another one have no order.
 *   <li>There is no order between callers, nor between calls to different objects.
 *   <li>Inside of an asynchronous call, its first call to the object counts. The code before that
 *       call delays the later calls of the same caller to the same object, so it must not wait for
 *       one of those. Calls after the first one have no place in the order.
 *   <li>Calls begin in the order in which they are delivered. A call that waits lets the next one
 *       run, so calls may end in another order.
 * </ul>
 *
 * <p>Thread-safe.
 *
 * @param <T> the object's interface
 */
public interface ObjectStub<T> {

  /** {@return the id of the object this stub calls} */
  ObjectId id();

  /**
   * Returns the object's interface. Each call blocks the calling thread until the reply leaves the
   * object's output gate, that is, until all writes on which it depends are durable. A call from
   * inside another object of the same runtime does not wait for the disk: the caller's own output
   * gate takes over the dependencies of the reply.
   *
   * <p>Arguments and results are copied unless they are immutable; an {@code Instant} is cut to the
   * millisecond, as in storage. A call fails with the object's own exception or with one of the
   * runtime. If another thread ran the call, because the object was busy, the stack of the caller
   * is among the {@linkplain Throwable#getSuppressed suppressed} exceptions. The runtime throws:
   *
   * <ul>
   *   <li>{@link RuntimeClosedException}, {@link dev.holdfast.errors.JournalFailedException} or
   *       {@link dev.holdfast.errors.ObjectOverloadedException}: the call was not delivered.
   *   <li>{@link InstanceResetException}: the instance was reset during the call.
   *   <li>{@link dev.holdfast.errors.CallInterruptedException}: the calling thread was interrupted.
   *   <li>{@link dev.holdfast.errors.UncopyableValueException}: an argument or the result cannot be
   *       copied.
   *   <li>{@link dev.holdfast.errors.MisuseException}: calls between objects are nested too deeply,
   *       or the call would wait for itself.
   * </ul>
   *
   * @return the interface, bound to this object
   */
  T blocking();

  /**
   * Makes a call on a new virtual thread, delivered in the order of the caller's calls; see {@link
   * ObjectStub}. A call made in an object's turn leaves when that turn has ended. All failures of
   * the call complete the future.
   *
   * <p>A cancellation of the future interrupts the call: a call that is not yet delivered is
   * withdrawn without effect; a call that already runs is interrupted at its next wait.
   *
   * <p>A failure does not have the stack of the code that made the call: to take it at each call,
   * failed or not, costs one to two microseconds (measured at a depth of 10 to 60 frames). The
   * exception of {@link CompletableFuture#join} has the stack of the thread that waits.
   *
   * @param <R> the result
   * @param call the call, for example {@code counter -> counter.add(1)}
   * @return completes with the reply once it is durable, or with the failure of the call
   */
  <R extends @Nullable Object> CompletableFuture<R> async(Call<? super T, R> call);

  /**
   * Returns a stub for the same object whose calls wait at most this long for their reply. That
   * includes the wait for the disk, which has no other bound.
   *
   * <p>A call that is not delivered in this time is withdrawn. If it was delivered, its reply is
   * dropped, but its effects remain, or may yet become durable. Both fail with {@link
   * dev.holdfast.errors.ObjectCallTimeoutException}, which distinguishes the two.
   *
   * @param timeout more than zero
   * @return another stub; this one is unchanged
   * @throws IllegalArgumentException if {@code timeout} is zero or negative
   */
  ObjectStub<T> withTimeout(Duration timeout);

  /**
   * Returns a stub for the same object whose calls have these headers, for filters. A call that an
   * object makes also has the headers of the call that the object works on.
   *
   * @param headers replace inherited ones of the same names, and all headers of this stub
   * @return another stub; this one is unchanged. Its calls fail with {@link
   *     dev.holdfast.filter.HeadersException} if they exceed a bound together with inherited ones
   */
  ObjectStub<T> withHeaders(Headers headers);

  /**
   * One call of an object, written as a function of its interface.
   *
   * @param <T> the object's interface
   * @param <R> the result
   */
  @FunctionalInterface
  interface Call<T, R extends @Nullable Object> {

    /**
     * Makes the call.
     *
     * @param object the object's interface
     * @return the result of the call
     * @throws Exception if the object throws it
     */
    R apply(T object) throws Exception;
  }
}
