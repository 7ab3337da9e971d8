package dev.holdfast.kotlin

import dev.holdfast.NamespaceOptions
import dev.holdfast.ObjectNamespace
import dev.holdfast.ObjectRegistrar
import dev.holdfast.ObjectRuntime
import dev.holdfast.junit.HoldfastTest
import dev.holdfast.junit.RegisterObjects
import dev.holdfast.simulation.HoldfastControl
import java.lang.reflect.UndeclaredThrowableException
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** Objects, stored values and rows of classes that Kotlin compiled. */
@HoldfastTest
internal class KotlinObjectsTest {

  @Test
  fun namespaceIsFoundByTheTypeOfItsObjects(runtime: ObjectRuntime) {
    val cart = runtime.namespace<Cart>("carts").getByName("ann")

    cart.add(Line("tea"))

    assertThat(cart.lines()).containsExactly(Line("tea", 1, null))
  }

  @Test
  fun dataClassesOutliveACrash(carts: ObjectNamespace<Cart>, holdfast: HoldfastControl) {
    carts.getByName("ann").add(Line("tea", 2, "green"))
    carts.getByName("ann").add(Line("milk"))

    holdfast.crash()

    assertThat(carts.getByName("ann").lines()).containsExactly(Line("tea", 2, "green"), Line("milk"))
  }

  @Test
  fun sealedClassesAndObjectsComeBackAsThemselves(
    carts: ObjectNamespace<Cart>,
    holdfast: HoldfastControl,
  ) {
    val cart = carts.getByName("ann")
    assertThat(cart.payment()).isNull()
    cart.pay(Card("4711"))
    assertThat(cart.payment()).isEqualTo(Card("4711"))

    cart.pay(Cash)
    holdfast.restart()

    assertThat(carts.getByName("ann").payment()).isSameAs(Cash)
  }

  @Test
  fun nullIsAnAnswer(carts: ObjectNamespace<Cart>) {
    val cart = carts.getByName("ann")
    cart.add(Line("tea"))

    assertThat(cart.note("tea")).isNull()
    assertThat(cart.lineOf("milk")?.note).isNull()
  }

  @Test
  fun bodyOfAnInterfaceRunsInTheObject(carts: ObjectNamespace<Cart>) {
    assertThat(carts.getByName("ann").addAll()).isEqualTo(2)
    assertThat(carts.getByName("ann").lines()).containsExactly(Line("tea"), Line("milk"))
  }

  @Test
  fun exceptionOfAnObjectReachesItsCaller(carts: ObjectNamespace<Cart>) {
    assertThatThrownBy { carts.getByName("ann").add(Line("gold")) }
      .isInstanceOf(SoldOutException::class.java)
      .hasMessage("gold is sold out")
  }

  @Test
  fun checkedExceptionThatIsNotDeclaredIsWrapped(carts: ObjectNamespace<Cart>) {
    assertThatThrownBy { carts.getByName("ann").cancel() }
      .isInstanceOf(UndeclaredThrowableException::class.java)
      .hasCauseInstanceOf(SoldOutException::class.java)
  }

  @Test
  fun objectsCallEachOther(carts: ObjectNamespace<Cart>) {
    carts.getByName("ann").add(Line("tea"))

    assertThat(carts.getByName("bob").copyFrom("ann")).isEqualTo(1)
    assertThat(carts.getByName("bob").lines()).containsExactly(Line("tea"))
  }

  @Test
  fun rowsAreDataClassesThatAreRecords(stock: ObjectNamespace<Stock>) {
    val shelf = stock.getByName("shelf")
    shelf.put("pen", 1.5)
    shelf.put("gift", null)
    shelf.put("gold", 900.0)

    assertThat(shelf.cheaperThan(2.0)).containsExactly(Item(1, "pen", 1.5), Item(2, "gift", null))
  }

  companion object {
    @JvmStatic
    @RegisterObjects
    fun objects(objects: ObjectRegistrar) {
      objects
        .namespace<Cart>("carts", ::CartObject)
        .namespace<Stock>(
          "stock",
          ::StockObject,
          NamespaceOptions.DEFAULT.withMigrations(StockObject.TABLES),
        )
    }
  }
}
