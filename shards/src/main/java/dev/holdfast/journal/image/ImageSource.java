package dev.holdfast.journal.image;

import dev.holdfast.errors.JournalFailedException;

/** Gives copies of the files of a shard's owner. */
public interface ImageSource {

  /** Maximum number of bytes that are read at once. */
  int CHUNK_BYTES_MAX = 1 << 20;

  /** The number of the list, in {@link #readImage}. */
  int LIST = 0;

  /**
   * Asks for an image. The first time it is not there yet: it takes as long as a copy of the files.
   *
   * @return the image; the caller says when it needs it no more
   * @throws JournalFailedException if there is none now; ask again
   */
  default ReplicaImage image() {
    throw noImage();
  }

  /**
   * Reads some bytes of an image.
   *
   * @param image the id of the image
   * @param file {@link #LIST}, or the number of a file: the first one in the list is 1
   * @param offset in the file
   * @return the bytes from there on, at most {@link #CHUNK_BYTES_MAX}; after the end of a file
   *     those of the next ones follow; none at the end of the last one, or of the list
   * @throws JournalFailedException if there is no such image any more
   */
  default byte[] readImage(long image, int file, long offset) {
    throw noImage();
  }

  /**
   * Says that the caller needs an image no more. Without effect if there is no such image.
   *
   * @param image the id of the image
   */
  default void releaseImage(long image) {}

  private static JournalFailedException noImage() {
    return new JournalFailedException("This copy gives no files of the objects.", null);
  }
}
