/**
 * What batches change in the catalog of a backend: its part of a batch, changes that wait, and what
 * a restore changes.
 */
@NullMarked
package dev.holdfast.spi.catalog;

import org.jspecify.annotations.NullMarked;
