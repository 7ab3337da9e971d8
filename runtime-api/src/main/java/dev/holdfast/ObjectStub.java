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
   * <p>Arguments and results are copied unless they are immutable. Calls fail with an {@link
   * ObjectException} for the runtime's own reasons, and with the object's own exception otherwise.
   *
   * @return the interface, bound to this object
   */
  T blocking();

  /**
   * Makes a call on a new virtual thread.
   *
   * <p>Cancelling the future interrupts the call: one that still waits to be delivered is withdrawn
   * without a trace; one that already runs is interrupted at its next wait.
   *
   * @param <R> the result
   * @param call the call, for example {@code counter -> counter.add(1)}
   * @return completes with the reply once it is durable, or with the failure of the call
   */
  <R extends @Nullable Object> CompletableFuture<R> async(ObjectCall<? super T, R> call);

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
}
