package dev.holdfast.spi.backup;

import java.io.IOException;

/**
 * The files of one view of the journal, while they are copied. First most files are copied, in
 * rounds, while everything goes on; then the view is held, and what has changed since is copied.
 * Confined to the thread of the backup.
 */
public interface FilesCopy extends AutoCloseable {

  /** Of a view without files. */
  FilesCopy NONE =
      new FilesCopy() {
        @Override
        public int copyFiles() {
          return 0;
        }

        @Override
        public void hold() {}

        @Override
        public void close() {}
      };

  /**
   * Copies files: the first time all of them, then those whose copies the journal can no longer
   * bring up to date.
   *
   * @return how many were copied
   * @throws IOException if a file cannot be copied
   */
  int copyFiles() throws IOException;

  /**
   * Waits for work in progress, and copies what has changed. From now on until the close the copies
   * stay such that the journal, up to any later end, brings them up to date, and none is ahead of
   * what was durable in the journal. Turns and commits go on.
   *
   * @throws IOException if a file cannot be copied
   */
  void hold() throws IOException;

  /** Ends the hold and the copy. Closing twice does nothing. */
  @Override
  void close();
}
