/** What the runtime reports of failures that no caller gets. */
@NullMarked
package dev.holdfast.runtime.internal.report;

import org.jspecify.annotations.NullMarked;
