/**
 * What happens when a data directory is opened: files get the batches that they lack, and a lost
 * catalog is rebuilt from the objects.
 */
@NullMarked
package dev.holdfast.backend.sqlite.recovery;

import org.jspecify.annotations.NullMarked;
