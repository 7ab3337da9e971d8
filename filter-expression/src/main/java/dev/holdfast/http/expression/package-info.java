/**
 * Filter expressions, such as {@code http.host eq "shop.example.com" and ip.src in {192.0.2.0/24}}:
 * parsed with exact error positions, type-checked, evaluated in time linear in the request.
 *
 * <p>{@link dev.holdfast.http.expression.FilterExpression} is an expression, {@link
 * dev.holdfast.http.expression.FilterRequest} is the request that it is evaluated for.
 */
@NullMarked
package dev.holdfast.http.expression;

import org.jspecify.annotations.NullMarked;
