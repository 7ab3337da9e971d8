/** What {@code ./holdfast} starts: the command line with its verbs. */
@NullMarked
package dev.holdfast.examples.launcher;

import org.jspecify.annotations.NullMarked;
