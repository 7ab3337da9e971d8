/** Fakes, faults and contract suites for tests of Holdfast, its backends and its users. */
@NullMarked
package dev.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
