/** Reports of browsers: signed addresses, untrusted bodies, batches for zones. */
@NullMarked
package dev.holdfast.http.internal.report;

import org.jspecify.annotations.NullMarked;
