/** Earlier states of objects, and operators, on both storage engines. */
@NullMarked
package dev.holdfast.embedded.recovery;

import org.jspecify.annotations.NullMarked;
