/**
 * Calls of objects of other nodes. {@link dev.holdfast.cluster.call.CallRouter} finds the owner and
 * repeats what has surely not begun; {@link dev.holdfast.cluster.call.CallEndpoint} has the
 * connections, and gives calls that arrive to a {@link dev.holdfast.cluster.call.CallHandler}.
 */
@NullMarked
package dev.holdfast.cluster.call;

import org.jspecify.annotations.NullMarked;
