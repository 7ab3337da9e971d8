package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.binding.SqliteException;
import dev.holdfast.backend.sqlite.binding.SqliteLibrary;
import dev.holdfast.backend.sqlite.file.Mark;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.catalog.CatalogBacklog;
import dev.holdfast.spi.catalog.CatalogBacklog.Waiting;
import dev.holdfast.spi.catalog.CatalogChange;
import dev.holdfast.spi.catalog.SharedNames;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The database of the catalog, and the changes that it does not have yet. Changes are added by any
 * thread; all else is done by the holder of the lock of the {@link SqliteCatalog}.
 */
final class CatalogUpdates {

  private final SqliteLibrary library;
  private final Disk disk;
  private final Journal journal;
  private final Path file;
  private final CatalogBacklog backlog = new CatalogBacklog();
  private final SavedBacklog states = new SavedBacklog();
  private final SharedNames shared = new SharedNames();

  /** The position of the last change that has a name. */
  private final LongAccumulator lastNamed = new LongAccumulator(Math::max, Journal.START);

  /** Held while the connection is used: opening an object must not wait for a sync. */
  private final ReentrantLock using = new ReentrantLock();

  /** Changed under both locks. */
  private @Nullable CatalogDatabase database;

  private volatile boolean unsaved;

  /** Whether the log of the open database could not be copied into its file. */
  private boolean isCopyInDoubt;

  CatalogUpdates(SqliteLibrary library, Disk disk, Journal journal, Path file) {
    this.library = library;
    this.disk = disk;
    this.journal = journal;
    this.file = file;
  }

  /** {@return how many changes wait, including this one} */
  int add(long position, ObjectKey key, CatalogChange change) {
    if (change.name() != null) {
      lastNamed.accumulate(position);
    }
    return backlog.add(position, key, change);
  }

  /** {@return how many states wait, including this one} */
  int add(SavedBacklog.Waiting state) {
    return states.add(state);
  }

  /** {@return the position of the last change that has a name} */
  long lastNamed() {
    return lastNamed.get();
  }

  /** {@return the objects that have got a name which others had} */
  SharedNames shared() {
    return shared;
  }

  /** {@return a number that differs if other states were added} */
  long digest() {
    return states.digest();
  }

  /** {@return the lowest position that recovery would need; the largest long if none} */
  long lowestPosition() {
    return Math.min(backlog.lowestPosition(), states.lowestPosition());
  }

  /** {@return whether there is anything that is not saved} */
  boolean isChanged() {
    return unsaved || lowestPosition() < Long.MAX_VALUE;
  }

  /** Reads something. */
  interface Reading<T extends @Nullable Object> {
    T read(CatalogDatabase database) throws SqliteException;
  }

  /** Reads from the database with all durable changes. */
  <T extends @Nullable Object> T read(Reading<T> reading) throws SqliteException, IOException {
    using.lock();
    try {
      return reading.read(apply(null));
    } finally {
      using.unlock();
    }
  }

  /**
   * {@return the saved state of an object; null if there is none}
   *
   * @param applying reads it if a change has to be applied first, under the lock of the catalog
   */
  @Nullable SavedState savedState(ObjectKey key, Supplier<@Nullable SavedState> applying)
      throws SqliteException {
    using.lock();
    try {
      CatalogDatabase opened = database;
      if (opened != null && !states.has(key)) {
        return opened.tables().saved().get(key);
      }
    } finally {
      using.unlock();
    }
    return applying.get();
  }

  /** Writes what is durable, and a mark. */
  CatalogDatabase apply(@Nullable Mark next) throws SqliteException, IOException {
    if (isCopyInDoubt) {
      close();
    }
    using.lock();
    try {
      CatalogDatabase opened = database;
      if (opened == null) {
        opened = CatalogDatabase.open(library, disk, file);
        database = opened;
      }
      write(opened, next);
      return opened;
    } finally {
      using.unlock();
    }
  }

  private void write(CatalogDatabase opened, @Nullable Mark next) throws SqliteException {
    List<Waiting> taken = backlog.takeDurable(journal.durablePosition());
    List<SavedBacklog.Waiting> saved = states.take();
    if (taken.isEmpty() && saved.isEmpty() && next == null) {
      return;
    }
    boolean applied = false;
    try {
      opened.apply(taken, saved, next);
      opened.tables().shared().take().forEach(shared::add);
      applied = true;
      unsaved = true;
    } finally {
      if (!applied) {
        backlog.putBack(taken);
        states.putBack(saved);
      }
    }
  }

  /** Writes all pages again; see {@link CatalogDatabase#rewrite}. Readers wait meanwhile. */
  void rewrite() throws SqliteException, IOException {
    CatalogDatabase opened = apply(null);
    using.lock();
    try {
      opened.rewrite();
      unsaved = true;
    } finally {
      using.unlock();
    }
  }

  /** Copies the log, which is durable, into the file: everything applied is saved then. */
  void copyLog(CatalogDatabase opened) throws SqliteException, IOException {
    isCopyInDoubt = true;
    opened.copyLog(using);
    isCopyInDoubt = false;
    unsaved = false;
    backlog.saved();
    states.saved();
  }

  void close() throws IOException, SqliteException {
    CatalogDatabase opened = database;
    if (opened == null) {
      return;
    }
    using.lock();
    try {
      if (isCopyInDoubt) {
        opened.closeKeepingLog();
      } else {
        opened.close();
      }
      database = null;
    } finally {
      using.unlock();
    }
    isCopyInDoubt = false;
  }
}
