package dev.holdfast.http.expression;

/**
 * A stretch of an expression.
 *
 * @param start index of its first character
 * @param end index behind its last character
 */
record Span(int start, int end) {}
