/**
 * The files of a journal: the layout of segments, the scan that checks them when they are opened,
 * their index, spare files for new ones, and the mark beside them.
 */
@NullMarked
package dev.holdfast.journal.file;

import org.jspecify.annotations.NullMarked;
