package dev.holdfast.kotlin

import dev.holdfast.ObjectContext
import dev.holdfast.sql.SqlMigration
import java.util.concurrent.CompletableFuture

internal data class Line(val item: String, val count: Int = 1, val note: String? = null)

internal sealed interface Payment

internal data class Card(val number: String) : Payment

internal data object Cash : Payment

internal class SoldOutException(item: String) : Exception("$item is sold out")

internal interface Cart {
  @Throws(SoldOutException::class) fun add(line: Line)

  fun lines(): List<Line>

  fun lineOf(item: String): Line?

  fun note(item: String): String?

  fun pay(payment: Payment)

  /** Throws what it does not declare. */
  fun cancel()

  fun payment(): Payment?

  /** Adds the lines of another cart; returns how many. */
  fun copyFrom(other: String): Int

  fun addAll(items: Collection<String> = listOf("tea", "milk")): Int =
    items.onEach { add(Line(it)) }.size
}

internal class CartObject(private val context: ObjectContext) : Cart {
  private val storage = context.storage()

  override fun add(line: Line) {
    if (line.item == "gold") throw SoldOutException(line.item)
    storage["lines"] = lines() + line
  }

  override fun lines(): List<Line> = storage["lines"] ?: emptyList()

  override fun lineOf(item: String): Line? = lines().find { it.item == item }

  override fun note(item: String): String? = lineOf(item)?.note

  override fun pay(payment: Payment) {
    storage["payment"] = payment
  }

  override fun cancel(): Unit = throw SoldOutException("everything")

  override fun payment(): Payment? = storage["payment"]

  override fun copyFrom(other: String): Int {
    val lines = context.namespace<Cart>("carts").getByName(other).lines()
    lines.forEach(::add)
    return lines.size
  }
}

@JvmRecord internal data class Item(val id: Long, val name: String, val price: Double?)

internal interface Stock {
  fun put(name: String, price: Double?)

  fun cheaperThan(price: Double): List<Item>
}

internal class StockObject(context: ObjectContext) : Stock {
  private val sql = context.storage().sql()

  override fun put(name: String, price: Double?) {
    sql.exec("INSERT INTO item (name, price) VALUES (?, ?)", name, price)
  }

  override fun cheaperThan(price: Double): List<Item> =
    sql
      .exec("SELECT * FROM item WHERE price IS NULL OR price < ? ORDER BY id", price)
      .rows<Item>()
      .toList()

  companion object {
    val TABLES =
      listOf(
        SqlMigration("items", "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)")
      )
  }
}

internal interface Door {
  /** Waits until the door is open. */
  fun pass()

  fun passed(): Int
}

internal class DoorObject(private val context: ObjectContext, private val latch: Latch) : Door {
  override fun pass() {
    latch.reached.complete(Unit)
    try {
      context.await(latch.opened)
    } catch (e: Exception) {
      latch.failed.complete(e)
      throw e
    }
    context.storage()["passed"] = passed() + 1
  }

  override fun passed(): Int = context.storage()["passed"] ?: 0
}

/** What a door and a test say to each other. */
internal class Latch {
  val reached = CompletableFuture<Unit>()
  val opened = CompletableFuture<Unit>()
  val failed = CompletableFuture<Exception>()
}
