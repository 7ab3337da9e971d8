/**
 * What every storage backend must do, as test suites to extend; begin with {@link
 * dev.holdfast.testkit.contract.BackendContract}.
 */
@NullMarked
package dev.holdfast.testkit.contract;

import org.jspecify.annotations.NullMarked;
