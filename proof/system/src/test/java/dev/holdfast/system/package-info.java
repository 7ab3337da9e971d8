/** Tests of the whole: crashes, conformance, simulation. */
@NullMarked
package dev.holdfast.system;

import org.jspecify.annotations.NullMarked;
