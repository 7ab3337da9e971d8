package dev.holdfast.kotlin

import dev.holdfast.codec.TypeRef
import dev.holdfast.sql.SqlCursor
import dev.holdfast.sql.SqlResult
import dev.holdfast.storage.TransactionalStorage

/**
 * Returns the value of a key, or null if it has none: `val lines: List<Line>? = storage["lines"]`.
 *
 * @param V the type of the value, with its type arguments
 * @param key the key
 * @throws dev.holdfast.errors.UncopyableValueException if the value is not of this type; other
 *   failures as [TransactionalStorage.get]
 */
public inline operator fun <reified V : Any> TransactionalStorage.get(key: String): V? =
  // A class without type parameters needs no reflection on a type argument.
  if (V::class.java.typeParameters.isEmpty()) {
    get(key, V::class.javaObjectType).orElse(null)
  } else {
    get(key, object : TypeRef<V>() {}).orElse(null)
  }

/**
 * Writes the value of a key: `storage["lines"] = lines`.
 *
 * @param key the key
 * @param value the new value
 * @throws dev.holdfast.errors.UncopyableValueException if the value cannot be stored; other failures
 *   as [TransactionalStorage.put]
 */
public operator fun TransactionalStorage.set(key: String, value: Any): Unit = put(key, value)

/**
 * Returns the remaining rows as values, as [SqlCursor. as] does: `sql.exec("SELECT ...").rows<Item>()`.
 *
 * @param R a data class, each of whose properties takes the column of its name
 * @throws IllegalArgumentException if a property has no column
 */
public inline fun <reified R : Any> SqlCursor.rows(): SqlResult<R> = `as`(R::class.java)
