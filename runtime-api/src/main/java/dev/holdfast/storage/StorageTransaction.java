package dev.holdfast.storage;

import org.jspecify.annotations.Nullable;

/**
 * The storage inside of {@link ObjectStorage#transaction}, for as long as its code runs.
 * Afterwards, and after {@link #rollback}, every method fails with {@link
 * dev.holdfast.MisuseException}.
 */
public interface StorageTransaction extends TransactionalStorage {

  /**
   * Takes back everything written since the transaction began and ends it; its code goes on. What
   * the code writes to the storage afterwards is no part of the transaction. A second rollback does
   * nothing.
   *
   * @throws dev.holdfast.MisuseException if a transaction inside of this one still runs, or this
   *     one is already committed
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
   * Code that runs within one turn and is taken back if it throws.
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
