package dev.holdfast.spi;

import java.nio.file.Path;

/**
 * The files in which single objects leave and enter a runtime, whatever keeps them inside. Calls
 * block. Thread-safe; what is called with a turn is called by the thread that runs it.
 */
public interface ObjectFileFormat {

  /**
   * Writes what a turn sees. The turn has written nothing.
   *
   * @param key the object
   * @param turn its open turn
   * @param target where to; must not exist
   * @return the file, complete and durable but not yet under its name
   * @throws dev.holdfast.ObjectFileException if it cannot be written
   */
  PendingFile write(ObjectKey key, StoreTurn turn, Path target);

  /**
   * Replaces all that a turn sees by what a file has.
   *
   * @param key the object
   * @param source where from
   * @param turn its open turn, which has written nothing
   * @throws dev.holdfast.ObjectFileException if the file is not usable; the turn has written
   *     nothing then
   * @throws dev.holdfast.StorageFailedException if the storage fails; the caller discards the turn
   */
  void read(ObjectKey key, Path source, StoreTurn turn);

  /** A file that is written but not yet under its name. Owned by one thread. */
  interface PendingFile extends AutoCloseable {

    /**
     * Gives the file its name, durably.
     *
     * @throws dev.holdfast.ObjectFileException if that fails
     */
    void publish();

    /** Deletes the file unless it was published. */
    @Override
    void close();
  }
}
