/** What all packages of the engine share. Depends on none of them. */
@NullMarked
package dev.holdfast.runtime.internal;

import org.jspecify.annotations.NullMarked;
