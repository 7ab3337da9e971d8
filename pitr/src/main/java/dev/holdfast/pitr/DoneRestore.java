package dev.holdfast.pitr;

/**
 * A completed restore.
 *
 * @param position the position of the restore in the journal; the epoch that it begins
 * @param wallMillis when it was done
 * @param target the restored state
 */
record DoneRestore(long position, long wallMillis, Bookmark target) {}
