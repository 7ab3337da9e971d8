/**
 * Changes of a backend's catalog: the catalog part of a batch, pending changes, and the change of a
 * restore.
 */
@NullMarked
package dev.holdfast.spi.catalog;

import org.jspecify.annotations.NullMarked;
