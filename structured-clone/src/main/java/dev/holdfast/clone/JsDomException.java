package dev.holdfast.clone;

/**
 * A {@code DOMException} of the reference runtime.
 *
 * @param name such as {@code NotFoundError}
 * @param message the message
 * @param stack the stack trace, as text
 */
public record JsDomException(String name, String message, String stack) implements JsValue {}
