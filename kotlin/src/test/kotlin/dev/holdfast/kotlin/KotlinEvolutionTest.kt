package dev.holdfast.kotlin

import dev.holdfast.clone.StructuredCloneException
import dev.holdfast.clone.codec.StructuredClone
import java.nio.file.Files
import java.nio.file.Path
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

@JvmInline
internal value class Code(val text: String) {
  init {
    require(text.isNotEmpty()) { "empty" }
  }
}

/** Two versions of classes; an object stands for a version of the application. */
internal object Before {
  data class Line1(val a: String)

  data class Line2(val a: String)

  data class Line3(val a: String)

  data class Line4(val a: String)

  data class Line5(val a: String)

  data class Line6(val a: String)

  data class Line7(val a: String, val b: Int = 7)

  data class Line8(val a: String)

  data class Line9(val a: List<String>)
}

internal object After {
  data class Line1(val a: String, val b: Int = 7)

  data class Line2(val a: String, val b: List<String> = listOf("none"))

  data class Line3(val a: String, val b: String = a + "!")

  data class Line4(val a: String, val b: Int)

  data class Line5(val a: String, val b: String)

  data class Line6(val a: String, val b: String?)

  data class Line7(val a: String)

  data class Line8(val a: Code)

  data class Line9(val a: List<Code>)
}

/** The second table of docs/evolution.md, computed. */
internal class KotlinEvolutionTest {

  private class Change(val name: String, val old: Any, val young: Any)

  private val changes =
    listOf(
      Change("Property with a default added", Before.Line1("x"), After.Line1("x", 2)),
      Change("Collection with a default added", Before.Line2("x"), After.Line2("x", listOf("y"))),
      Change("Property added whose default has another one", Before.Line3("x"), After.Line3("x", "y")),
      Change("`Int` without a default added", Before.Line4("x"), After.Line4("x", 2)),
      Change("`String` without a default added", Before.Line5("x"), After.Line5("x", "y")),
      Change("`String?` without a default added", Before.Line6("x"), After.Line6("x", "y")),
      Change("Property with a default removed", Before.Line7("x", 2), After.Line7("x")),
      Change("Type made a value class", Before.Line8("x"), After.Line8(Code("x"))),
      Change("Type in a list made a value class", Before.Line9(listOf("x")), After.Line9(listOf(Code("x")))),
    )

  private val clone = StructuredClone.standard()

  private fun stored(from: Any, to: Any): String =
    try {
      "`${clone.decode(clone.encodeReadable(from), to.javaClass)}`"
    } catch (e: StructuredCloneException) {
      "refused"
    }

  private fun passed(from: Any, to: Any): String =
    try {
      val bytes = clone.passed(from.javaClass, Any::class.java, Any::class.java).write(from)
      "`${clone.passed(to.javaClass, Any::class.java, Any::class.java).read(bytes)}`"
    } catch (e: StructuredCloneException) {
      "refused"
    }

  /** The declaration of a class, in this file. */
  private fun declaration(of: Any): String {
    val version = if (of.javaClass.name.contains("\$Before") || of.javaClass.name.contains("Before\$")) "Before" else "After"
    val file = Files.readString(Path.of("src/test/kotlin/dev/holdfast/kotlin/KotlinEvolutionTest.kt"))
    val name = of.javaClass.simpleName
    return "`" +
      file
        .substringAfter("internal object $version {")
        .lines()
        .first { it.trim().startsWith("data class $name(") }
        .trim()
        .replace(name, "Line") +
      "`"
  }

  private fun row(change: Change): String =
    listOf(
        change.name,
        declaration(change.old),
        declaration(change.young),
        stored(change.old, change.young),
        stored(change.young, change.old),
        passed(change.old, change.young),
        passed(change.young, change.old),
      )
      .joinToString(" | ", "| ", " |")
      .replace(Regex("Line[0-9]"), "Line")

  @Test
  fun pageHasWhatHappensToEachValue() {
    val page = Files.readString(Path.of("../docs/records/promises/evolution.md"))
    val table =
      page
        .substringAfter("<!-- rows of KotlinEvolutionTest -->")
        .substringBefore("<!-- end of rows -->")
        .trim()
    // Two lines are the head of the table.
    assertThat(table.lines().drop(2)).isEqualTo(changes.map { row(it) })
  }
}
