/**
 * The contract of every storage backend, as test suites to extend; start with {@link
 * dev.holdfast.contract.BackendContract}.
 */
@NullMarked
package dev.holdfast.contract;

import org.jspecify.annotations.NullMarked;
