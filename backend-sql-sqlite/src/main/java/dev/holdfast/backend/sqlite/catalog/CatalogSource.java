package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogChange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What a lost catalog is rebuilt from: the objects themselves. */
public interface CatalogSource {

  /** Receives the catalog entries of objects. */
  @FunctionalInterface
  interface Visitor {

    /**
     * Receives one object.
     *
     * @param key the object, without its name
     * @param change that it exists, and its alarms; null if it has neither data nor alarms
     * @param state the state of its file; null if it is not known
     * @throws SqliteException if that cannot be written
     */
    void visit(ObjectKey key, @Nullable CatalogChange change, @Nullable SavedState state)
        throws SqliteException;
  }

  /**
   * {@return whether there may be any object}
   *
   * @throws IOException if that cannot be determined
   */
  boolean hasObjects() throws IOException;

  /**
   * Visits every object that has a file.
   *
   * @param visitor receives them
   * @throws IOException if the objects cannot be found
   * @throws SqliteException if the visitor throws it
   */
  void forEach(Visitor visitor) throws IOException, SqliteException;
}
