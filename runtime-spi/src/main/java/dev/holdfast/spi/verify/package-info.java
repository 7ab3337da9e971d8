/**
 * The findings of offline checks: what in a data directory differs from the format documents, what
 * is lost by it and what to do. Each module that has a format checks it and reports findings.
 */
@NullMarked
package dev.holdfast.spi.verify;

import org.jspecify.annotations.NullMarked;
