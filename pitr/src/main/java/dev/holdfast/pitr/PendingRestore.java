package dev.holdfast.pitr;

/**
 * A restore that was asked for and not yet done.
 *
 * @param position of the request in the journal
 * @param target where to
 */
record PendingRestore(long position, Bookmark target) {}
