package dev.holdfast.spi.statistics;

import dev.holdfast.spi.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Receives what the journal and the backends do that has a duration, so that they do not depend on
 * what records it. The code that measures a duration asks for the event there: an event begins with
 * the call and ends with {@code end}; one without an end is not recorded.
 *
 * <p>Each method returns null while no recording has that kind of event. It allocates nothing then,
 * and costs a few nanoseconds. Thread-safe; an event belongs to the thread that began it, or to one
 * that got it from there.
 */
public interface StorageEvents {

  /** Records nothing. */
  StorageEvents NONE = new StorageEvents() {};

  /** {@return the write and the sync of a group, which begins now; null if not recorded} */
  default @Nullable CommitGroup commitGroup() {
    return null;
  }

  /** {@return the save of an object's file, which begins now; null if not recorded} */
  default @Nullable Save save() {
    return null;
  }

  /** {@return a SQL statement, which begins now; null if not recorded} */
  default @Nullable Statement statement() {
    return null;
  }

  /** {@return the opening of a data directory, which begins now; null if not recorded} */
  default @Nullable Recovery recovery() {
    return null;
  }

  /** A group that is written and synced. */
  @FunctionalInterface
  interface CommitGroup {

    /**
     * Ends the event: the group is durable.
     *
     * @param firstPosition of its records
     * @param records how many it has
     * @param bytes its size in the journal
     */
    void end(long firstPosition, int records, long bytes);
  }

  /** The file of an object that is made durable. */
  @FunctionalInterface
  interface Save {

    /**
     * Ends the event: the file is durable.
     *
     * @param key the object
     * @param position up to which the file has the object's batches
     */
    void end(ObjectKey key, long position);
  }

  /** A SQL statement that runs. */
  @FunctionalInterface
  interface Statement {

    /**
     * Ends the event, whether the statement succeeded or not.
     *
     * @param key the object
     * @param sql its text, without the values of its parameters
     */
    void end(ObjectKey key, String sql);
  }

  /** The opening of a data directory. */
  @FunctionalInterface
  interface Recovery {

    /**
     * Ends the event: the views are at the end of the journal.
     *
     * @param directory the data directory
     * @param records how many records recovery read
     */
    void end(String directory, long records);
  }
}
