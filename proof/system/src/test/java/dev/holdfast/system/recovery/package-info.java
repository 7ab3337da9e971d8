/** Point-in-time recovery with real backends and a real journal. */
@NullMarked
package dev.holdfast.system.recovery;

import org.jspecify.annotations.NullMarked;
