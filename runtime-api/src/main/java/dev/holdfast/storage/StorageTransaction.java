package dev.holdfast.storage;

import org.jspecify.annotations.Nullable;

/**
 * The storage inside of {@link ObjectStorage#transaction}, while its code runs. After the end of
 * the code, and after {@link #rollback}, every method fails with {@link
 * dev.holdfast.errors.MisuseException}.
 */
public interface StorageTransaction extends TransactionalStorage {

  /**
   * Undoes all writes since the transaction began, and ends the transaction. Its code continues.
   * Later writes of that code to the storage are not part of the transaction. A second rollback
   * does nothing.
   *
   * @throws dev.holdfast.errors.MisuseException if the thread does not run the object's current
   *     turn, an inner transaction still runs, or this transaction is already committed
   * @throws dev.holdfast.errors.StorageFailedException if the storage fails; the object is reset
   */
  void rollback();

  /**
   * Code that runs as a transaction.
   *
   * @param <T> its result
   * @param <X> what it may throw
   */
  @FunctionalInterface
  interface Closure<T extends @Nullable Object, X extends Exception> {

    /**
     * Runs the code.
     *
     * @param transaction the storage
     * @return the result of {@link ObjectStorage#transaction}
     * @throws X to roll back
     */
    T run(StorageTransaction transaction) throws X;
  }

  /**
   * Code that runs within one turn. Its writes are undone if it throws.
   *
   * @param <T> its result
   * @param <X> what it may throw
   */
  @FunctionalInterface
  interface SyncClosure<T extends @Nullable Object, X extends Exception> {

    /**
     * Runs the code.
     *
     * @return the result of {@link ObjectStorage#transactionSync}
     * @throws X to roll back
     */
    T run() throws X;
  }
}
