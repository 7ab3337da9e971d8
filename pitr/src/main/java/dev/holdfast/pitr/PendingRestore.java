package dev.holdfast.pitr;

/**
 * A requested restore that is not yet done.
 *
 * @param position the position of the request in the journal
 * @param target the state to restore
 */
record PendingRestore(long position, Bookmark target) {}
