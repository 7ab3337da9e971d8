/** What the pages show: read by the operations for operators, within bounds. */
@NullMarked
package dev.holdfast.console.page;

import org.jspecify.annotations.NullMarked;
