package dev.holdfast.clone;

/**
 * A JavaScript value that no Java type stands for, or a JavaScript collection that remembers what
 * its Java likeness would lose.
 *
 * <p>{@link JsObject}, {@link JsMap}, {@link JsSet} and {@link JsArray} are a {@link
 * java.util.Map}, {@link java.util.Set} or {@link java.util.List} and can be used as one; they are
 * what reading without a type gives. The others are seldom met: they make sure that whatever the
 * reference runtime has stored can be read, looked at, and written back with the same bytes.
 *
 * <p>The collections are mutable and owned by whoever got them; the others are immutable but for
 * the arrays and collections that they hold.
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
