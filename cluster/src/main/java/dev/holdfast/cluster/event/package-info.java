/** Events that objects publish, on their way to the listeners of all nodes. */
@NullMarked
package dev.holdfast.cluster.event;

import org.jspecify.annotations.NullMarked;
