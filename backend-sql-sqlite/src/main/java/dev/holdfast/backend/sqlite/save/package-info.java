/**
 * Saving: makes the files of objects durable in the background and when the backend is closed,
 * checks large files, and rebuilds damaged ones from the journal.
 */
@NullMarked
package dev.holdfast.backend.sqlite.save;

import org.jspecify.annotations.NullMarked;
