/** What a node reports about itself. */
@NullMarked
package dev.holdfast.cluster.status;

import org.jspecify.annotations.NullMarked;
