/** What needs little memory however much data there is. */
@NullMarked
package dev.holdfast.system.memory;

import org.jspecify.annotations.NullMarked;
