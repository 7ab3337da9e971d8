package dev.holdfast;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A handle for calling one object, blocking or asynchronously.
 *
 * <p>A stub is cheap, holds no instance and stays usable for ever: after the object was reset or
 * evicted the next call reaches a fresh instance that starts from what the last complete turn has
 * left. (The reference runtime breaks its stubs for good instead; calls that were in flight fail in
 * both.)
 *
 * <p><b>Order.</b> The calls that one caller makes of one object are delivered in the order in
 * which they are made, also through different stubs of that object: each asynchronous call after
 * the asynchronous ones before it, and each direct call, through {@link #blocking()}, after them
 * too. Delivered means that the call is in the object's queue, or has its turn. A call that fails
 * before that, or is withdrawn, is left out, and the others keep their order. The rules:
 *
 * <ul>
 *   <li>A caller is a thread outside of all objects, or an object. All executions of an object's
 *       instance are one caller; a direct call that one of them makes and an asynchronous call that
 *       another one makes meanwhile have no order.
 *   <li>There is no order between callers, nor between calls of different objects.
 *   <li>Inside of an asynchronous call, its first call of the object counts. What its code does
 *       before that holds up the later calls of the same caller to the same object; it must not
 *       wait for one of those. Calls after the first have no place in the order.
 *   <li>Calls begin in the order in which they are delivered. One that waits lets the next one run,
 *       so they may end in another order.
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
   * Returns the object's interface; each call blocks the calling thread until the reply has left
   * the object's output gate, that is, until all it depends on is durable. A call made from inside
   * another object of the same runtime does not wait for the disk: the caller's own output gate
   * takes over what the reply depends on.
   *
   * <p>Arguments and results are copied unless they are immutable; times ({@code Instant}) are cut
   * to the millisecond, as in storage. Calls fail with an {@link ObjectException} for the runtime's
   * own reasons, and with the object's own exception otherwise.
   *
   * @return the interface, bound to this object
   */
  T blocking();

  /**
   * Makes a call on a new virtual thread, delivered in the order of the caller's calls, see {@link
   * ObjectStub}. A call made in an object's turn leaves when that turn has ended.
   *
   * <p>Cancelling the future interrupts the call: one that still waits to be delivered is withdrawn
   * without a trace; one that already runs is interrupted at its next wait.
   *
   * @param <R> the result
   * @param call the call, for example {@code counter -> counter.add(1)}
   * @return completes with the reply once it is durable, or with the failure of the call
   */
  <R extends @Nullable Object> CompletableFuture<R> async(Call<? super T, R> call);

  /**
   * Returns a stub for the same object whose calls wait at most this long to be delivered and
   * answered. That includes the wait until what the reply depends on is durable, which has no other
   * bound: a disk that hangs holds all other replies for as long as it does.
   *
   * <p>A call that has not been delivered when the time is over is withdrawn; the reply of one that
   * was delivered is dropped, and its effects remain, or may yet become durable. Both fail with
   * {@link ObjectCallTimeoutException}, which tells the two apart.
   *
   * @param timeout more than zero
   * @return another stub; this one is unchanged
   * @throws IllegalArgumentException if {@code timeout} is zero or negative
   */
  ObjectStub<T> withTimeout(Duration timeout);

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
