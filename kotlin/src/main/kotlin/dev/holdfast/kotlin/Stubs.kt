package dev.holdfast.kotlin

import dev.holdfast.ObjectStub
import java.lang.reflect.UndeclaredThrowableException
import kotlinx.coroutines.future.await

/**
 * Calls the object and suspends until its reply is durable: `carts.stub("ann").call { add("tea") }`.
 *
 * The call runs on a virtual thread of its own, as with [ObjectStub.async], and blocks no thread of
 * the coroutine's dispatcher. Calls that a coroutine makes one after the other are delivered in that
 * order. A failure of the call is thrown as it is, also a checked exception that the interface does not
 * declare with `@Throws`; a blocking stub wraps that one in an [UndeclaredThrowableException].
 *
 * When the coroutine is cancelled, the call is too: it is withdrawn if it is not yet delivered, and
 * interrupted at its next wait if it already runs. What it has written by then may stay.
 *
 * For callers outside of all objects. Code of an object runs on a thread and calls others with
 * [ObjectStub.blocking]; a coroutine within a turn would wait for a call that leaves only when the
 * turn has ended.
 *
 * @param T the interface of the object
 * @param R the result
 * @param block the call of the object
 * @return the reply
 */
public suspend fun <T : Any, R> ObjectStub<T>.call(block: T.() -> R): R =
  async<R> {
      try {
        it.block()
      } catch (e: UndeclaredThrowableException) {
        throw e.cause ?: e
      }
    }
    .await()
