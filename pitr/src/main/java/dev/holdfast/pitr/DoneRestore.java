package dev.holdfast.pitr;

/**
 * A restore that was done.
 *
 * @param position of the restore in the journal; the epoch that it begins
 * @param wallMillis when it was done
 * @param target where to
 */
record DoneRestore(long position, long wallMillis, Bookmark target) {}
