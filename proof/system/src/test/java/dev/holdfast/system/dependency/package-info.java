/** Holdfast as a dependency of a project that knows nothing of this build. */
@NullMarked
package dev.holdfast.system.dependency;

import org.jspecify.annotations.NullMarked;
