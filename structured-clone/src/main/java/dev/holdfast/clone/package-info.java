/**
 * The values of the V8 structured clone format, in which the reference runtime stores them, and the
 * exceptions of its codec. {@link dev.holdfast.clone.codec.StructuredClone} writes, reads and
 * copies them.
 *
 * <p>How Java and JavaScript values correspond ("read" is without a type; with a type, the value is
 * converted if nothing is lost, and refused with its path otherwise):
 *
 * <table>
 * <caption>Mapping</caption>
 * <tr><th>Java, written</th><th>JavaScript</th><th>Java, read</th></tr>
 * <tr><td>{@code null}</td><td>{@code null}</td><td>{@code null}</td></tr>
 * <tr><td>{@code Boolean}</td><td>boolean</td><td>{@code Boolean}</td></tr>
 * <tr><td>{@code Long} (also {@code Integer}, {@code Short}, {@code Byte}) from -2<sup>53</sup> to
 *     2<sup>53</sup></td><td>number</td><td>{@code Long}</td></tr>
 * <tr><td>other {@code Long}, {@code BigInteger}</td><td>BigInt</td><td>{@code BigInteger}</td></tr>
 * <tr><td>{@code Double}, {@code Float}</td><td>number, always stored as a double</td><td>{@code
 *     Double}; {@code Long} for an integer from 2<sup>30</sup> on, which is stored as a double
 *     whatever it was</td></tr>
 * <tr><td>{@code String}, {@code Character}</td><td>string</td><td>{@code String}</td></tr>
 * <tr><td>enum</td><td>string, its name</td><td>{@code String}</td></tr>
 * <tr><td>{@code BigDecimal}, {@code UUID}, {@code URI}, {@code java.time} without {@code
 *     Instant}</td><td>string, its {@code toString()}</td><td>{@code String}</td></tr>
 * <tr><td>{@code Instant}, cut to the millisecond towards the past; {@code java.util.Date}</td>
 *     <td>Date</td><td>{@code Instant}; {@link dev.holdfast.clone.JsInvalidDate}</td></tr>
 * <tr><td>{@code byte[]}</td><td>ArrayBuffer</td><td>{@code byte[]}; {@link
 *     dev.holdfast.clone.JsBuffer} if resizable</td></tr>
 * <tr><td>{@code short[]}, {@code int[]}, {@code long[]}, {@code float[]}, {@code double[]}</td>
 *     <td>Int16Array, Int32Array, BigInt64Array, Float32Array, Float64Array</td><td>{@link
 *     dev.holdfast.clone.JsView}</td></tr>
 * <tr><td>{@code List}, other collections that are not sets, arrays of objects</td><td>array</td>
 *     <td>{@link dev.holdfast.clone.JsArray}, a {@code List}</td></tr>
 * <tr><td>{@code Set}</td><td>Set</td><td>{@link dev.holdfast.clone.JsSet}, a {@code Set}</td></tr>
 * <tr><td>{@code Map}</td><td>Map</td><td>{@link dev.holdfast.clone.JsMap}, a {@code Map}</td></tr>
 * <tr><td>record, class that its constructor makes, {@link dev.holdfast.clone.JsObject}</td><td>object</td><td>{@link
 *     dev.holdfast.clone.JsObject}, a {@code Map}</td></tr>
 * <tr><td>{@link dev.holdfast.clone.JsUndefined}, {@link dev.holdfast.clone.JsRegExp}, {@link
 *     dev.holdfast.clone.JsBoxed}, {@link dev.holdfast.clone.JsView}, {@link
 *     dev.holdfast.clone.JsError}, {@link dev.holdfast.clone.JsDomException}</td><td>what their
 *     name says</td><td>the same</td></tr>
 * </table>
 *
 * <p>With a type, a value is read as any of the written types, and as {@code List}, {@code Set},
 * {@code Map} and their common implementations and sorted forms with type arguments; an object is
 * also read as a {@code Map} of its properties. A class whose constructor takes exactly its fields
 * is like a record. A value of a sealed type says which class it is of by a first property <code>
 * &#64;type</code>. A component that the object lacks is its {@link dev.holdfast.value.Default},
 * else null, or empty if it is a collection, a map or an {@code Optional}; a property that the type
 * lacks is refused unless {@link dev.holdfast.value.Ignored} names it. {@code undefined} is null.
 * Other interfaces are not guessed.
 *
 * <p>This package keeps no state and starts no threads.
 */
@NullMarked
package dev.holdfast.clone;

import org.jspecify.annotations.NullMarked;
