package dev.holdfast.kotlin

import dev.holdfast.NamespaceOptions
import dev.holdfast.ObjectContext
import dev.holdfast.ObjectNamespace
import dev.holdfast.ObjectRegistrar
import dev.holdfast.clone.CloneException
import dev.holdfast.clone.codec.StructuredClone
import dev.holdfast.junit.HoldfastTest
import dev.holdfast.junit.RegisterObjects
import dev.holdfast.simulation.HoldfastControl
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.Instant
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** Everything that Kotlin's library offers as a property. */
internal data class Everything(
  val code: Code,
  val maybe: Code?,
  val codes: List<Code>,
  val byCode: Map<Code, Int>,
  val count: UInt,
  val counts: List<UInt>,
  val big: ULong?,
  val pair: Pair<Code, Int>,
  val triple: Triple<String, List<Code>, Double>,
  val wait: Duration,
  val waits: List<Duration>,
  val at: Instant,
  val range: IntRange,
  val ranges: List<LongRange>,
  val letters: CharRange = 'a'..'z',
)

internal interface Store {
  fun put(value: Everything): Everything

  fun get(): Everything?

  fun codes(codes: List<Code>): Pair<Code, UInt>
}

internal class StoreObject(context: ObjectContext) : Store {
  private val storage = context.storage()

  override fun put(value: Everything): Everything {
    storage["all"] = value
    return value
  }

  override fun get(): Everything? = storage["all"]

  override fun codes(codes: List<Code>): Pair<Code, UInt> = codes.first() to codes.size.toUInt()
}

/** Types of Kotlin that are stored and passed. */
@HoldfastTest
internal class KotlinTypesTest {

  private val everything =
    Everything(
      Code("a"),
      Code("b"),
      listOf(Code("c")),
      mapOf(Code("d") to 4),
      UInt.MAX_VALUE,
      listOf(1u, UInt.MAX_VALUE),
      ULong.MAX_VALUE,
      Code("p") to 1,
      Triple("t", listOf(Code("u")), 1.5),
      90.seconds,
      listOf(1.seconds, Duration.INFINITE),
      Instant.fromEpochSeconds(5, 7),
      -3..-1,
      listOf(1L..5L, LongRange.EMPTY),
    )

  @Test
  fun typesOfTheLibraryAreStoredAndPassed(stores: ObjectNamespace<Store>, holdfast: HoldfastControl) {
    val store = stores.getByName("a")
    assertThat(store.put(everything)).isEqualTo(everything)

    holdfast.restart()

    assertThat(stores.getByName("a").get()).isEqualTo(everything)
    assertThat(stores.getByName("a").codes(listOf(Code("x"), Code("y")))).isEqualTo(Code("x") to 2u)
  }

  internal data class Many(
    val p0: Int = 0, val p1: Int = 1, val p2: Int = 2, val p3: Int = 3, val p4: Int = 4, val p5: Int = 5,
    val p6: Int = 6, val p7: Int = 7, val p8: Int = 8, val p9: Int = 9, val p10: Int = 10, val p11: Int = 11,
    val p12: Int = 12, val p13: Int = 13, val p14: Int = 14, val p15: Int = 15, val p16: Int = 16,
    val p17: Int = 17, val p18: Int = 18, val p19: Int = 19, val p20: Int = 20, val p21: Int = 21,
    val p22: Int = 22, val p23: Int = 23, val p24: Int = 24, val p25: Int = 25, val p26: Int = 26,
    val p27: Int = 27, val p28: Int = 28, val p29: Int = 29, val p30: Int = 30, val p31: Int = 31,
    val p32: Int = 32, val p33: Long = 33, val p34: Code = Code("34"),
  )

  @Test
  fun defaultsBeyondTheFirstMaskAreUsed() {
    val clone = StructuredClone.standard()
    val none = clone.encode(dev.holdfast.clone.JsObject())

    assertThat(clone.decode(none, Many::class.java)).isEqualTo(Many())
  }

  @Test
  fun valueClassChecksWhatIsRead() {
    val clone = StructuredClone.standard()

    assertThatThrownBy { clone.decode(clone.encode(""), Code::class.java) }
      .isInstanceOf(CloneException::class.java)
      .hasMessageContaining("empty")
    assertThat(clone.decode(clone.encode(Code("a")), String::class.java)).isEqualTo("a")
  }

  companion object {
    @JvmStatic
    @RegisterObjects
    fun register(objects: ObjectRegistrar) {
      objects.namespace<Store>("stores", ::StoreObject, NamespaceOptions.DEFAULT)
    }
  }
}
