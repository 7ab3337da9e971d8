package dev.holdfast.clone;

/**
 * A JavaScript value that has no corresponding Java type, or a JavaScript collection that keeps
 * details that the corresponding Java collection would lose.
 *
 * <p>{@link JsObject}, {@link JsMap}, {@link JsSet} and {@link JsArray} are a {@link
 * java.util.Map}, {@link java.util.Set} or {@link java.util.List} and can be used as one; they are
 * the result of reading without a type. The others are rare: they ensure that every value that the
 * reference runtime has stored can be read, inspected, and written back with the same bytes.
 *
 * <p>The collections are mutable and owned by the caller that received them; the others are
 * immutable except for the arrays and collections that they contain.
 */
public sealed interface JsValue
    permits JsArray,
        JsBoxed,
        JsBuffer,
        JsDomException,
        JsError,
        JsInvalidDate,
        JsMap,
        JsObject,
        JsRegExp,
        JsSet,
        JsString,
        JsUndefined,
        JsView {}
