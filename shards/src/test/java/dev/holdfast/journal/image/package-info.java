/** Tests of files of a shard for another node. */
@NullMarked
package dev.holdfast.journal.image;

import org.jspecify.annotations.NullMarked;
