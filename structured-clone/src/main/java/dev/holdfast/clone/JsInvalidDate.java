package dev.holdfast.clone;

/** A {@code Date} without a time ({@code new Date(NaN)}). A valid one is an {@code Instant}. */
public record JsInvalidDate() implements JsValue {}
