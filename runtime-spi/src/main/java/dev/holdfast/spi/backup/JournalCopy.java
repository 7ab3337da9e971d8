package dev.holdfast.spi.backup;

import java.io.IOException;

/**
 * The files of the journal, while they are copied. Until the close the journal drops no segment and
 * does not raise its low-water mark, so that a copy of a view is never older than the copy of the
 * journal allows. Confined to the thread of the backup.
 */
public interface JournalCopy extends AutoCloseable {

  /** {@return the number that the journal got when it was created} */
  long journalId();

  /** {@return the first position that a view needs, which is not raised before the close} */
  long lowWaterMark();

  /**
   * Copies the segments that are full.
   *
   * @throws IOException if one cannot be copied
   */
  void copySegments() throws IOException;

  /**
   * Copies the rest up to a position.
   *
   * @param endPosition a position that was the durable end of the journal after the copy had begun
   * @throws IOException if a segment cannot be copied
   */
  void copyUpTo(long endPosition) throws IOException;

  /** Ends the copy. Closing twice does nothing. */
  @Override
  void close();
}
