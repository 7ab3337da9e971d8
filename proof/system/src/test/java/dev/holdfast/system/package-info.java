/** Tests of the whole: architecture, power cuts, errors, dependencies. */
@NullMarked
package dev.holdfast.system;

import org.jspecify.annotations.NullMarked;
