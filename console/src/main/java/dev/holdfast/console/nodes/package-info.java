/** What the pages of a cluster show. */
@NullMarked
package dev.holdfast.console.nodes;

import org.jspecify.annotations.NullMarked;
