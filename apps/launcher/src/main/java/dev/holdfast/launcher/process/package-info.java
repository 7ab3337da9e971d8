/** Child processes that are killed, and the lines that they send before. */
@NullMarked
package dev.holdfast.launcher.process;

import org.jspecify.annotations.NullMarked;
