/** Tests whose processes are killed: no module waits for them here. */
@NullMarked
package dev.holdfast.crash;

import org.jspecify.annotations.NullMarked;
