/** The verb {@code inspect}: looks into a data directory, of a running process or a stopped one. */
@NullMarked
package dev.holdfast.operate.inspect;

import org.jspecify.annotations.NullMarked;
