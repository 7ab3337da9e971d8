/** The hosts of a case's object: a runtime in this process, or one in a child that is killed. */
@NullMarked
package dev.holdfast.conformance.host;

import org.jspecify.annotations.NullMarked;
