package dev.holdfast.spi;

import dev.holdfast.sql.SqlMigration;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

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
   * @param terms what the object's namespace asks of its objects; migrations that the file has not
   *     seen are tried, and not kept
   * @throws dev.holdfast.ObjectFileException if the file is not usable; the turn has written
   *     nothing then
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the caller discards
   *     the turn
   */
  void read(ObjectKey key, Path source, StoreTurn turn, Terms terms);

  /**
   * What a state must fit, since an object that it replaces could not be used otherwise. Immutable.
   *
   * @param migrations all steps of the object's namespace, oldest first
   * @param alarms throws an {@link IllegalArgumentException}, in words, for alarms that no object
   *     can have
   */
  record Terms(List<SqlMigration> migrations, Consumer<List<AlarmRecord>> alarms) {

    /** Keeps what may not change. */
    public Terms {
      migrations = List.copyOf(migrations);
    }
  }

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
