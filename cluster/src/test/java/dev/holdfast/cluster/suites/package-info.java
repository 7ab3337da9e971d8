/** The tests of the public API, which are those of one machine, on three nodes. */
@NullMarked
package dev.holdfast.cluster.suites;

import org.jspecify.annotations.NullMarked;
