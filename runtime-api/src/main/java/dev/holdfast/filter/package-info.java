/**
 * Code of the application around the calls of objects: filters on both sides of a call, and the
 * headers that travel with it. Filters are registered with {@code dev.holdfast.ObjectRegistrar};
 * {@code docs/filters.md} has the rules and examples.
 */
@NullMarked
package dev.holdfast.filter;

import org.jspecify.annotations.NullMarked;
