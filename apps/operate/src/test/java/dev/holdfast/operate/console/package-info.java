/** Tests of the verb that shows a data directory in a browser. */
@NullMarked
package dev.holdfast.operate.console;

import org.jspecify.annotations.NullMarked;
