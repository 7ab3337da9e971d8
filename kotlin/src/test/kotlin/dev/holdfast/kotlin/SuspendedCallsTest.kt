package dev.holdfast.kotlin

import dev.holdfast.ObjectNamespace
import dev.holdfast.ObjectStub
import dev.holdfast.simulation.HoldfastControl
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** Calls that coroutines make. All coroutines of a test share one thread. */
internal class SuspendedCallsTest {

  private val latch = Latch()
  private val holdfast =
    HoldfastControl.inMemory { objects ->
      objects
        .namespace<Cart>("carts", ::CartObject)
        .namespace<Door>("doors", { context -> DoorObject(context, latch) })
    }
  private val carts: ObjectNamespace<Cart> = holdfast.runtime().namespace("carts")
  private val door: ObjectStub<Door> = holdfast.runtime().namespace<Door>("doors").stub("front")

  @AfterEach
  fun close() {
    latch.opened.complete(Unit)
    holdfast.close()
  }

  @Test
  fun callReturnsTheReply() = runBlocking<Unit> {
    val cart = carts.stub("ann")

    cart.call { add(Line("tea")) }
    cart.call { add(Line("milk")) }

    assertThat(cart.call { lines() }).containsExactly(Line("tea"), Line("milk"))
    val note: String? = cart.call { note("tea") }
    assertThat(note).isNull()
  }

  @Test
  fun callThatWaitsLeavesItsThreadToOthers() = runBlocking<Unit> {
    val calls = List(3) { async { door.call { pass() } } }

    // Runs on the thread of the calls; if they blocked it, none would ever end.
    latch.reached.await()
    latch.opened.complete(Unit)
    calls.forEach { it.await() }

    assertThat(door.call { passed() }).isEqualTo(3)
  }

  @Test
  fun exceptionOfTheObjectIsThrownAsItIs() {
    assertThatThrownBy { runBlocking { carts.stub("ann").call { add(Line("gold")) } } }
      .isInstanceOf(SoldOutException::class.java)
      .hasMessage("gold is sold out")
    assertThatThrownBy { runBlocking { carts.stub("ann").call { cancel() } } }
      .isInstanceOf(SoldOutException::class.java)
      .hasMessage("everything is sold out")
  }

  @Test
  fun cancelledCoroutineInterruptsItsCall() = runBlocking<Unit> {
    val caller = launch { door.call { pass() } }
    latch.reached.await()

    caller.cancelAndJoin()

    assertThat(latch.failed.await()).hasMessageContaining("interrupted")
    assertThat(door.call { passed() }).isZero()
  }
}
