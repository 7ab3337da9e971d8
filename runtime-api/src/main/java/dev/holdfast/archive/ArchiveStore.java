package dev.holdfast.archive;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place for an archive: entries by name, each written once and never changed. An entry is visible
 * as a whole or not at all, and durable when {@link #putIfAbsent} has returned.
 *
 * <p>A store may be slow, fail or never answer: only the archive falls behind. Every operation can
 * be repeated. Names consist of the letters a to z, digits, {@code -}, {@code .} and {@code /}.
 *
 * <p>Used by one thread of a runtime at a time; several runtimes may use the same place.
 */
public interface ArchiveStore extends AutoCloseable {

  /**
   * Adds an entry, unless one with this name exists. Of several concurrent calls with one name, on
   * any number of machines, exactly one returns true.
   *
   * @param name its name
   * @param content its bytes; may be read several times
   * @return whether it was added; false if an entry with this name exists, which is unchanged
   * @throws IOException if it is unknown whether the entry was added
   */
  boolean putIfAbsent(String name, ArchiveContent content) throws IOException;

  /**
   * Opens an entry.
   *
   * @param name its name
   * @return its bytes, closed by the caller; null if there is no such entry
   * @throws IOException if it cannot be read
   */
  @Nullable InputStream open(String name) throws IOException;

  /**
   * Lists entries in the order of their names, with all that were added before the call.
   *
   * @param prefix of their names
   * @param after only names after this one; empty for all
   * @param limit the maximum number of entries, at least 1
   * @return the first entries; fewer than the limit only if there are no more
   * @throws IOException if they cannot be listed
   */
  List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException;

  /**
   * Deletes an entry, if it exists; durable when this has returned, so that what was purged does
   * not return, and entries vanish in the order of the calls.
   *
   * @param name its name
   * @throws IOException if it is unknown whether the entry was deleted
   */
  void delete(String name) throws IOException;

  /**
   * Deletes what calls have left that never ended, because their process was killed: bytes that
   * belong to no entry. A call that adds an entry meanwhile may fail.
   *
   * @param prefix of the names of the entries that were to be added: empty, or it ends in a slash
   * @throws IOException if it is unknown whether all was deleted
   */
  default void deleteUnfinished(String prefix) throws IOException {}

  /** {@return the place, for messages and reports; without secrets} */
  @Override
  String toString();

  /** Releases what the store holds, and ends operations in progress if it can. Does not throw. */
  @Override
  default void close() {}
}
