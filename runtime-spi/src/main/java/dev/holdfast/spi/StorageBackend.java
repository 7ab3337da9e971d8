package dev.holdfast.spi;

/**
 * A storage engine: keeps the data of objects as a view of the journal.
 *
 * <p>Thread-safe, but for what {@link ObjectStore} says.
 */
public interface StorageBackend extends JournalView, AutoCloseable {

  /**
   * Returns the store of one object. Cheap: touches no file. At most one store of an object is in
   * use at a time; the engine sees to that.
   *
   * @param key the object
   * @return the store
   */
  ObjectStore store(ObjectKey key);

  /**
   * Makes everything durable in the backend's own files, if the journal has not failed, and closes
   * them. No store is used afterwards.
   */
  @Override
  void close();
}
