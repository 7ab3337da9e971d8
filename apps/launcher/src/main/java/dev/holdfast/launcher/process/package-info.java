/** Child processes that are killed, and the lines they say before. */
@NullMarked
package dev.holdfast.launcher.process;

import org.jspecify.annotations.NullMarked;
