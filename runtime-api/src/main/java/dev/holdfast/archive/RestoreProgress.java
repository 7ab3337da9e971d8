package dev.holdfast.archive;

/** Receives what a restore has done, now and then, on the thread that restores. */
@FunctionalInterface
public interface RestoreProgress {

  /**
   * Receives what is done.
   *
   * @param objects how many objects a file or a record was restored of; an image of the archive
   *     does not count objects in RocksDB
   * @param bytes how much of the source was restored, in bytes
   * @param bytesMax how much would be restored if the whole source is needed, in bytes
   * @param position the position of the last record that was restored
   */
  void restored(long objects, long bytes, long bytesMax, long position);
}
