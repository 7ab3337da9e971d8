/** Child processes that are killed, and the lines they say before. */
@NullMarked
package dev.holdfast.examples.process;

import org.jspecify.annotations.NullMarked;
