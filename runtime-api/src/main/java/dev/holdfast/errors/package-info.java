/**
 * Errors of the runtime that applications seldom handle one by one. Those that they do are in
 * {@link dev.holdfast}, as are the classes that all of them extend.
 */
@NullMarked
package dev.holdfast.errors;

import org.jspecify.annotations.NullMarked;
