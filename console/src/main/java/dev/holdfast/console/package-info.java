/** Shows a runtime, its objects and their past in a browser. */
@NullMarked
package dev.holdfast.console;

import org.jspecify.annotations.NullMarked;
