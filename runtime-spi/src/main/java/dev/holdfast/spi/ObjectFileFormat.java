package dev.holdfast.spi;

import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Export and import files of single objects, independent of the storage engine. Calls block.
 * Thread-safe; methods that take a turn are called by the thread that runs it.
 */
public interface ObjectFileFormat {

  /**
   * Writes the state that a turn sees. The turn has written nothing.
   *
   * @param key the object
   * @param turn its open turn
   * @param target the file to write; must not exist
   * @return the file, complete and durable but not yet under its name
   * @throws dev.holdfast.ObjectFileException if it cannot be written
   */
  PendingFile write(ObjectKey key, StoreTurn turn, Path target);

  /**
   * Replaces the state that a turn sees by the content of a file.
   *
   * @param key the object
   * @param source the file to read
   * @param turn its open turn, which has written nothing
   * @param terms what the object's namespace requires of its objects; migrations that the file has
   *     not had are tried, and not kept
   * @throws dev.holdfast.ObjectFileException if the file is not usable; the turn has then written
   *     nothing
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the caller discards
   *     the turn
   */
  void read(ObjectKey key, Path source, StoreTurn turn, Terms terms);

  /**
   * The requirements of a namespace on imported state: without them, the object that it replaces
   * could not be used. Immutable.
   *
   * @param migrations the migrations of the object's namespace
   * @param alarms throws an {@link IllegalArgumentException}, with a message, for alarms that no
   *     object can have
   * @param keys whether bytes belong to a key, so that the object finds it by its text
   * @param interrupted whether the object was reset meanwhile, so that nobody waits for the file;
   *     asked by the thread that reads it
   */
  record Terms(
      StoreTurn.MigrationPlan migrations,
      Consumer<List<AlarmRecord>> alarms,
      Predicate<byte[]> keys,
      BooleanSupplier interrupted) {}

  /** A file that is written but not yet under its name. Confined to one thread. */
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
