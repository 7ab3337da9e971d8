/** Where the object of a case lives: a runtime in this process, or one in a child to be killed. */
@NullMarked
package dev.holdfast.conformance.host;

import org.jspecify.annotations.NullMarked;
