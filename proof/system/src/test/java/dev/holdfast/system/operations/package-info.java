/** What operators see: the log and the pages about it. */
@NullMarked
package dev.holdfast.system.operations;

import org.jspecify.annotations.NullMarked;
