/**
 * What every storage backend must do, as test suites to extend; begin with {@link
 * dev.holdfast.contract.BackendContract}.
 */
@NullMarked
package dev.holdfast.contract;

import org.jspecify.annotations.NullMarked;
