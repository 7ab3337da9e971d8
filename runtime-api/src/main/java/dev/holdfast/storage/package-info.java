/**
 * The private storage of an object: keys and values, atomic by turn.
 *
 * <p>The reference has these methods twice: with promises, and without, as {@code storage.kv} and
 * {@code transactionSync}. Java needs one form: where a promise would wait, the call waits.
 *
 * <table>
 *   <caption>The reference's synchronous methods, and the methods of {@link ObjectStorage}</caption>
 *   <tr><th>There</th><th>Here</th></tr>
 *   <tr><td>{@code kv.get(key)}</td><td>{@code get(key, type)}, an {@code Optional}</td></tr>
 *   <tr><td>{@code kv.put(key, value)}</td><td>{@code put(key, value)}</td></tr>
 *   <tr><td>{@code kv.delete(key)}</td><td>{@code delete(key)}</td></tr>
 *   <tr><td>{@code kv.list(options)}</td><td>{@code stream(options, type)}; several may be open, or
 *       {@code list(options, type)} for all at once</td></tr>
 *   <tr><td>{@code transactionSync(closure)}</td><td>{@code transactionSync(closure)}</td></tr>
 *   <tr><td>{@code await transaction(closure)}</td><td>{@code transaction(closure)}, which may wait
 *       </td></tr>
 * </table>
 */
@NullMarked
package dev.holdfast.storage;

import org.jspecify.annotations.NullMarked;
