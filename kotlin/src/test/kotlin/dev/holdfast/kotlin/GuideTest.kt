package dev.holdfast.kotlin

import dev.holdfast.ObjectContext
import dev.holdfast.ObjectNamespace
import dev.holdfast.embedded.Holdfast
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.nio.file.Files
import java.nio.file.Path
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

data class Drink(val name: String, val cups: Int = 1, val note: String? = null)

interface Order {
  fun add(drink: Drink)

  fun drinks(): List<Drink>
}

class OrderObject(context: ObjectContext) : Order {
  private val storage = context.storage()

  override fun add(drink: Drink) {
    storage["drinks"] = drinks() + drink
  }

  override fun drinks(): List<Drink> = storage["drinks"] ?: emptyList()
}

suspend fun serve(orders: ObjectNamespace<Order>): List<Drink> {
  val order = orders.stub("table 4")
  order.call { add(Drink("coffee")) }
  return order.call { drinks() }
}

/** Runs what `docs/kotlin.md` shows: its blocks are parts of this file. */
internal class GuideTest {

  @Test
  fun firstObjectPrintsWhatItHas(@TempDir directory: Path) {
    val printed = ByteArrayOutputStream()
    val println = { line: Any -> PrintStream(printed, true).println(line) }

    Holdfast.open(directory) { objects -> objects.namespace<Order>("orders", ::OrderObject) }
      .use { runtime ->
        val order = runtime.namespace<Order>("orders").getByName("table 4")
        order.add(Drink("tea", cups = 2))
        println(order.drinks())
      }

    assertThat(printed).hasToString("[Drink(name=tea, cups=2, note=null)]${System.lineSeparator()}")
  }

  @Test
  fun coroutineIsServed(@TempDir directory: Path) {
    Holdfast.open(directory) { objects -> objects.namespace<Order>("orders", ::OrderObject) }
      .use { runtime ->
        assertThat(runBlocking { serve(runtime.namespace("orders")) })
          .containsExactly(Drink("coffee"))
      }
  }

  @Test
  fun blocksOfThePageAreParts() {
    val page = Files.readString(Path.of("../docs/kotlin.md"))
    val own = withoutIndent(Files.readString(Path.of("src/test/kotlin/dev/holdfast/kotlin/GuideTest.kt")))

    val blocks = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).toList()

    assertThat(blocks).hasSize(3)
    assertThat(blocks).allSatisfy { assertThat(own).contains(withoutIndent(it.groupValues[1])) }
  }

  private fun withoutIndent(text: String): String = text.lines().joinToString("\n") { it.trim() }
}
