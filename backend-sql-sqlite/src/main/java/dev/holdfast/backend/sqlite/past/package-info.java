/**
 * Earlier states of a database, put together from the undo of later batches: restores, and images
 * for differences and forks.
 */
@NullMarked
package dev.holdfast.backend.sqlite.past;

import org.jspecify.annotations.NullMarked;
