/** Reports of failures that no caller receives. */
@NullMarked
package dev.holdfast.runtime.internal.report;

import org.jspecify.annotations.NullMarked;
