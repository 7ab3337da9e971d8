/** How threads of Ratis wait, and what Ratis has no option for. */
@NullMarked
package dev.holdfast.log.ratis.threads;

import org.jspecify.annotations.NullMarked;
