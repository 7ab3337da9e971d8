package dev.holdfast.kotlin

import dev.holdfast.NamespaceOptions
import dev.holdfast.codec.Codec

private const val BETWEEN = ".."

private val INTS: Codec<IntRange> =
  Codec.of(
    IntRange::class.java,
    String::class.java,
    { it.toString() },
    { IntRange(it.substringBefore(BETWEEN).toInt(), it.substringAfter(BETWEEN).toInt()) },
  )

private val LONGS: Codec<LongRange> =
  Codec.of(
    LongRange::class.java,
    String::class.java,
    { it.toString() },
    { LongRange(it.substringBefore(BETWEEN).toLong(), it.substringAfter(BETWEEN).toLong()) },
  )

private val CHARS: Codec<CharRange> =
  Codec.of(
    CharRange::class.java,
    String::class.java,
    { it.toString() },
    {
      require(it.length == BETWEEN.length + 2) { "no range of characters: $it" }
      CharRange(it.first(), it.last())
    },
  )

/**
 * Returns these options with codecs for `IntRange`, `LongRange` and `CharRange`, which are stored as
 * their texts: `1..5`. The registration of a namespace in Kotlin adds them; one in Java does not.
 * Codecs that the options have are asked first.
 */
public fun NamespaceOptions.withRanges(): NamespaceOptions =
  withCodec(INTS).withCodec(LONGS).withCodec(CHARS)
