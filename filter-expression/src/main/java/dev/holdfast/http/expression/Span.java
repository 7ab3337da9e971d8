package dev.holdfast.http.expression;

/**
 * A range of an expression.
 *
 * @param start index of its first character
 * @param end index after its last character
 */
record Span(int start, int end) {}
