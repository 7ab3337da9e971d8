package dev.holdfast.spi;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead journal of a runtime: the only thing that makes anything durable.
 *
 * <p>Records get positions in one total order. A crash loses a suffix of the order, never a middle:
 * if a position is durable, so is every position before it. Many records share one sync (<em>group
 * commit</em>).
 *
 * <p>After an error of writing or syncing the journal has failed for good; see {@link
 * dev.holdfast.errors.JournalFailedException}. Thread-safe.
 */
public interface Journal extends AutoCloseable {

  /** A position before every record: what depends on it depends on nothing. */
  long START = 0;

  /** A payload is at most so long. */
  int PAYLOAD_BYTES_MAX = 1 << 30;

  /**
   * Appends a record. Returns at once; the record is not yet durable. Appends of one thread, and
   * appends ordered by a lock, get ascending positions.
   *
   * @param kind what the record says
   * @param viewId the {@link JournalView#viewId} of the caller
   * @param key the object it is about
   * @param payload the bytes between position and limit; copied before this returns
   * @return the position of the record
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed or is closed
   * @throws dev.holdfast.errors.DataDirectoryException if there is no room for the record on the
   *     disk; nothing was appended and the journal goes on
   * @throws IllegalArgumentException if it can be no record; nothing was appended. After anything
   *     else that this throws, an {@link OutOfMemoryError} above all, the record may have its
   *     position and become durable, or not
   */
  long append(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload);

  /** {@return the position of the last record appended; {@link #START} if there is none} */
  long lastPosition();

  /** {@return the position up to which, inclusive, every record is durable} */
  long durablePosition();

  /**
   * Blocks until a position is durable. A platform thread that finds nobody syncing does the sync
   * itself. Interrupts do not end the wait; the interrupt flag is kept.
   *
   * @param position a position that {@link #append} has returned, or less
   * @throws dev.holdfast.errors.JournalFailedException if the journal fails before the position is
   *     durable
   */
  void awaitDurable(long position);

  /**
   * Calls back once a position is durable, or once it never will be. The callback runs on the
   * calling thread if that is already known, else on a thread of the journal, and must be short.
   *
   * @param position a position that {@link #append} has returned, or less
   * @param listener what to call
   */
  void whenDurable(long position, DurabilityListener listener);

  /** {@return the error after which the journal stopped; null while it works} */
  @Nullable RuntimeException failure();

  /**
   * Says who learns of the failure of the journal, also when nobody appends or waits: what was
   * written without waiting is lost then. Each listener is called once; at once, on the calling
   * thread, if the journal has failed already. That the journal was closed is no failure.
   *
   * @param listener what to call
   */
  void onFailure(FailureListener listener);

  /**
   * Makes sure that the data directory still belongs to this runtime. Views call it before they
   * write into files of their own what only the journal had.
   *
   * @throws dev.holdfast.errors.JournalFailedException if another runtime has taken the directory
   *     over; the journal has stopped then
   */
  default void requireOwnership() {}

  /**
   * Makes everything appended durable and closes the files. Appending afterwards fails.
   *
   * @throws dev.holdfast.errors.JournalFailedException if the last sync fails
   */
  @Override
  void close();

  /** Learns that the journal has failed. */
  @FunctionalInterface
  interface FailureListener {

    /**
     * Called on the thread that met the failure, after {@link Journal#failure} says so. That thread
     * may be in the middle of an append with locks of its own: a listener does not block, takes no
     * lock that is held over an append, and runs no code of applications.
     *
     * @param failure why
     */
    void failed(RuntimeException failure);
  }

  /** Learns what became of a position. */
  @FunctionalInterface
  interface DurabilityListener {

    /**
     * Called exactly once.
     *
     * @param failure null if the position is durable, else why it never will be
     */
    void settled(@Nullable RuntimeException failure);
  }
}
