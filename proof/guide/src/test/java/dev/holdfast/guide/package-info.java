/** Holdfast as a dependency of a project outside this build. */
@NullMarked
package dev.holdfast.guide;

import org.jspecify.annotations.NullMarked;
