/** Reports of browsers: addresses that are signed, bodies that are hostile, batches for zones. */
@NullMarked
package dev.holdfast.http.internal.report;

import org.jspecify.annotations.NullMarked;
