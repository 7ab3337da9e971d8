/**
 * The catalog of a backend lists its objects by name and their alarms by due time. Here: the
 * catalog part of a batch, pending changes, and the change of a restore.
 */
@NullMarked
package dev.holdfast.spi.catalog;

import org.jspecify.annotations.NullMarked;
