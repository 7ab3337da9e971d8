/** Holdfast as a dependency of a project outside this build. */
@NullMarked
package dev.holdfast.system.dependency;

import org.jspecify.annotations.NullMarked;
