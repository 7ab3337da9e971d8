/**
 * Offline checks of a data directory, and repair. Each storage module checks its own format; this
 * package runs the checks and combines their findings.
 */
@NullMarked
package dev.holdfast.verify;

import org.jspecify.annotations.NullMarked;
