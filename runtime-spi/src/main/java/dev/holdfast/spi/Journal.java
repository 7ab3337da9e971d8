package dev.holdfast.spi;

import dev.holdfast.health.HealthReason;
import dev.holdfast.spi.JournalRecord.ChainLink;
import dev.holdfast.statistics.JournalStatistics;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead journal of a runtime: the only component that makes changes durable.
 *
 * <p>Records get positions in one total order. A crash loses a suffix of the order, never a middle:
 * if a position is durable, so is every position before it. Many records share one sync (<em>group
 * commit</em>).
 *
 * <p>After a write or sync error the journal has failed permanently; see {@link
 * dev.holdfast.errors.JournalFailedException}. Thread-safe.
 */
public interface Journal extends AutoCloseable {

  /** The position before every record: a reply that depends on it depends on no record. */
  long START = 0;

  /** Maximum length of a payload in bytes; see also {@link #payloadBytesMax}. */
  int PAYLOAD_BYTES_MAX = 1 << 30;

  /** Maximum length of a payload in the journal of a shard of a cluster, in bytes. */
  int SHARD_PAYLOAD_BYTES_MAX = 56 << 20;

  /** The view of records that have emitted events, or the place of a consumer of events. */
  int EVENTS_VIEW_ID = 17;

  /** Maximum size of the events of one turn in bytes, as they are in the journal. */
  int EVENTS_BYTES_MAX = 4 << 20;

  /**
   * {@return how long a payload may be in this journal, in bytes; at most {@link
   * #PAYLOAD_BYTES_MAX}} A turn that would need more is refused before it is sealed.
   */
  default int payloadBytesMax() {
    return PAYLOAD_BYTES_MAX;
  }

  /**
   * Appends a record that changes no object. Returns at once; the record is not yet durable.
   * Appends by one thread, and appends ordered by a lock, get ascending positions.
   *
   * @param kind what the record says; not one that {@linkplain RecordKind#isChained is chained}
   * @param viewId the {@link JournalView#viewId} of the caller
   * @param key the object it is about
   * @param payload the bytes between position and limit; copied before this returns
   * @return the position of the record
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed or is closed
   * @throws dev.holdfast.errors.DataDirectoryException if the disk has no room for the record;
   *     nothing was appended and the journal keeps working
   * @throws IllegalArgumentException if the arguments cannot form a record; nothing was appended.
   *     After any other exception or error, {@link OutOfMemoryError} above all, the record may or
   *     may not have a position and become durable
   */
  default long append(RecordKind kind, int viewId, ObjectKey key, ByteBuffer payload) {
    return append(kind, viewId, key, null, payload, null);
  }

  /**
   * Appends a batch, or a part of one, as {@link #append(RecordKind, int, ObjectKey, ByteBuffer)}
   * appends other records.
   *
   * @param kind what the record says; one that {@linkplain RecordKind#isChained is chained}
   * @param viewId the {@link JournalView#viewId} of the caller
   * @param key the object it changes
   * @param link names the batch of the object before it: without a gap from the first one on
   * @param payload the bytes between position and limit; copied before this returns
   * @return the position of the record
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed or is closed
   * @throws dev.holdfast.errors.DataDirectoryException if the disk has no room for the record;
   *     nothing was appended and the journal keeps working
   * @throws IllegalArgumentException if the arguments cannot form a record; nothing was appended
   */
  default long append(
      RecordKind kind, int viewId, ObjectKey key, ChainLink link, ByteBuffer payload) {
    return append(kind, viewId, key, link, payload, null);
  }

  /**
   * Appends a record and, directly before it, the events that the same turn has emitted: a record
   * of kind {@link RecordKind#CHECKPOINT} and view {@link #EVENTS_VIEW_ID}. After a crash the
   * journal has both or neither. Otherwise like {@link #append(RecordKind, int, ObjectKey,
   * ByteBuffer)}.
   *
   * @param kind what the record says
   * @param viewId the {@link JournalView#viewId} of the caller
   * @param key the object of both
   * @param link names the batch of the object before it; null exactly for a record that changes no
   *     object
   * @param payload the bytes of the record; copied before this returns
   * @param events the events, at most {@link #EVENTS_BYTES_MAX} bytes; copied before this returns;
   *     null for none
   * @return the position of the record; the position of the events is one less
   * @throws dev.holdfast.errors.JournalFailedException if the journal has failed or is closed
   * @throws dev.holdfast.errors.DataDirectoryException if the disk has no room for both; nothing
   *     was appended and the journal keeps working
   * @throws IllegalArgumentException if the arguments cannot form records; nothing was appended
   */
  long append(
      RecordKind kind,
      int viewId,
      ObjectKey key,
      @Nullable ChainLink link,
      ByteBuffer payload,
      @Nullable ByteBuffer events);

  /** {@return the position of the last record appended; {@link #START} if there is none} */
  long lastPosition();

  /** {@return the position up to which, inclusive, every record is durable} */
  long durablePosition();

  /**
   * Blocks until a position is durable. A platform thread that finds no sync in progress does the
   * sync itself. Interrupts do not end the wait; the interrupt flag is kept.
   *
   * @param position a position that {@link #append} has returned, or less
   * @throws dev.holdfast.errors.JournalFailedException if the journal fails before the position is
   *     durable
   */
  void awaitDurable(long position);

  /**
   * Calls a listener once a position is durable, or once it is known that it never will be. The
   * listener runs on the calling thread if the outcome is already known, else on a thread of the
   * journal, and must be short.
   *
   * @param position a position that {@link #append} has returned, or less
   * @param listener the listener to call
   */
  void whenDurable(long position, DurabilityListener listener);

  /**
   * {@return whether another runtime may have taken over without this one knowing yet, so that a
   * message that depends on nothing new must wait for {@link #awaitProven} as well. It never
   * changes}
   */
  default boolean needsProof() {
    return false;
  }

  /**
   * Blocks until a position is durable and it is known that no other runtime had taken over the
   * data when this was called: then everything may leave that was read before.
   *
   * @param position a position that {@link #append} has returned, or less
   * @throws dev.holdfast.errors.JournalFailedException if the journal fails before that is known
   */
  default void awaitProven(long position) {
    awaitDurable(position);
  }

  /**
   * {@return whether a lease says that no other runtime had taken over the data when this was
   * called: then everything may leave that was read before and is durable, without {@link
   * #awaitProven}} A lease believes the clocks of the machines. It goes on while this is asked, and
   * ends some time after. Does not block.
   */
  default boolean isLeased() {
    return false;
  }

  /**
   * Takes a snapshot of the numbers of the journal. Takes no lock and touches no file; answers also
   * after a failure and after the close.
   *
   * @return the numbers since the journal was opened; a journal that counts nothing has only its
   *     positions
   */
  default JournalStatistics statistics() {
    return JournalStatistics.at(lastPosition(), durablePosition());
  }

  /**
   * {@return why the health of the runtime is degraded, as far as the journal knows; empty if it is
   * not. Takes no lock and touches no file}
   */
  default List<HealthReason> troubles() {
    return List.of();
  }

  /** {@return the error after which the journal stopped; null while it works} */
  @Nullable RuntimeException failure();

  /**
   * Registers a listener for the failure of the journal. It is notified even if no thread appends
   * or waits: writes that no thread waited for are lost then. Each listener is called once;
   * immediately, on the calling thread, if the journal has failed already. Closing the journal is
   * not a failure.
   *
   * @param listener the listener to call
   */
  void onFailure(FailureListener listener);

  /**
   * Checks that the data directory still belongs to this runtime. Views call it before they write
   * to their own files what only the journal had.
   *
   * @throws dev.holdfast.errors.JournalFailedException if another runtime has taken over the
   *     directory; the journal has then stopped
   */
  default void requireOwnership() {}

  /**
   * {@return whether views save their files when the runtime is closed. They need not if another
   * runtime goes on with the data from its own files, for which callers wait meanwhile; the journal
   * has what these files lack, and is closed before them}
   */
  default boolean isSavedAtClose() {
    return true;
  }

  /**
   * {@return after how many nanoseconds views begin to save in the background what they have redone
   * in their files when they were opened} At once if nobody waits for the objects; otherwise their
   * callers come first. The journal keeps the records until then.
   */
  default long savedAfterNanos() {
    return 0;
  }

  /**
   * Removes the records of an object up to a position from the files of the journal, once every
   * view has what they say in its own files and no archive lacks them. Later records of the object
   * stay. The views keep the state of the object; its history begins after the position.
   *
   * @param key the object
   * @param upTo the extent, decided once and written down: a purge that is continued has the same
   * @return completes when the bytes of the records are durably in no file of the journal; fails if
   *     a file is damaged, the disk is full, or the journal fails or is closed before
   */
  default CompletableFuture<Void> purge(ObjectKey key, long upTo) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Waits until the copies of the journal on other nodes, and the files of the objects beside them,
   * are without what was purged here. Called after {@link #purge} has completed, and after the
   * files of the object on this node were erased.
   *
   * @param key the object
   * @return completes when every other node that keeps a copy has said so, at once if there is
   *     none; fails if the journal fails or is closed before
   */
  default CompletableFuture<Void> whenPurgedElsewhere(ObjectKey key) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Makes everything appended durable and closes the files. Appending afterwards fails.
   *
   * @throws dev.holdfast.errors.JournalFailedException if the last sync fails
   */
  @Override
  void close();

  /** Is notified that the journal has failed. */
  @FunctionalInterface
  interface FailureListener {

    /**
     * Called on the thread that met the failure, after {@link Journal#failure} returns it. That
     * thread may be in the middle of an append and hold locks: a listener must not block, take a
     * lock that is held during an append, or run application code.
     *
     * @param failure why
     */
    void failed(RuntimeException failure);
  }

  /** Is notified whether a position became durable. */
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
