package dev.holdfast.backend.sqlite.save;

import dev.holdfast.backend.sqlite.catalog.SqliteCatalog;
import dev.holdfast.backend.sqlite.file.ObjectFiles;
import dev.holdfast.backend.sqlite.file.SavedState;
import dev.holdfast.backend.sqlite.wal.Unsaved;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.backup.BackupTarget;
import dev.holdfast.spi.backup.BackupTarget.Source;
import dev.holdfast.spi.backup.FilesCopy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Copies the files of objects while turns run and objects are saved, and the catalog.
 *
 * <p>The journal brings a copy up to date as it does with a file after a crash: from the object's
 * newest checkpoint record on, it has each page whole that may differ or be torn. That is right as
 * long as no checkpoint record follows that says more than the copy has. So an object that is saved
 * after its copy began is copied again, and at the end nothing is saved until the end of the
 * journal is known. Files of objects that are created meanwhile are in the journal as a whole,
 * until they are saved.
 *
 * <p>Confined to one thread, except that the saver reports objects.
 */
public final class SqliteFilesCopy implements FilesCopy {

  private final BackupTarget target;
  private final ObjectFiles files;
  private final SqliteCatalog catalog;
  private final Unsaved unsaved;
  private final Saver saver;
  private final ReentrantLock copying;

  /** Objects that were saved since their copy began. */
  private final Set<ObjectKey> due = ConcurrentHashMap.newKeySet();

  private boolean isListed;
  private boolean closed;

  /**
   * What is copied, and what changes it.
   *
   * @param objects the files of the objects
   * @param catalog the catalog
   * @param unsaved which files are not in step with the journal
   * @param saver saves objects
   */
  public record Files(ObjectFiles objects, SqliteCatalog catalog, Unsaved unsaved, Saver saver) {}

  /**
   * Begins the copy: from now on saved objects are known.
   *
   * @param copying held until the copy is closed
   */
  public SqliteFilesCopy(Files source, BackupTarget target, ReentrantLock copying) {
    this.target = target;
    this.files = source.objects();
    this.catalog = source.catalog();
    this.unsaved = source.unsaved();
    this.saver = source.saver();
    this.copying = copying;
    copying.lock();
    saver.observe(due::add);
  }

  @Override
  public int copyFiles() throws IOException {
    if (isListed) {
      return copyDue();
    }
    isListed = true;
    int[] count = {0};
    files.forEach(
        (key, _) -> {
          copy(key);
          count[0]++;
          return true;
        });
    return count[0];
  }

  private int copyDue() throws IOException {
    List<ObjectKey> keys = List.copyOf(due);
    for (ObjectKey key : keys) {
      copy(key);
    }
    return keys.size();
  }

  @Override
  public void hold() throws IOException {
    saver.hold();
    catalog.holdSaves();
    copyDue();
    assert due.isEmpty();
    for (Path file : catalog.files()) {
      target.put(Source.whole(nameOf(file), file, () -> null));
    }
  }

  private void copy(ObjectKey key) throws IOException {
    due.remove(key); // first: a save that ends from now on is a reason to copy again
    Path file = files.database(key);
    String version = version(key);
    if (version != null && target.keep(nameOf(file), version)) {
      return;
    }
    if (files.hasDatabase(key)) {
      target.put(
          Source.whole(
              nameOf(file),
              file,
              () -> version != null && version.equals(version(key)) ? version : null));
    }
  }

  /** {@return the version of a file that is exactly as it was saved; null if it may not be} */
  private @Nullable String version(ObjectKey key) {
    // In this order: a state that is read later has all batches of an object that was in step.
    boolean isInStep = unsaved.state(key) == null;
    SavedState state = catalog.savedState(key);
    return isInStep && state != null
        ? String.format("%x.%x.%08x", state.position(), state.fileBytes(), state.checksum())
        : null;
  }

  private String nameOf(Path file) {
    Path root = files.root();
    return (root.getFileName() + "/" + root.relativize(file)).replace('\\', '/');
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      saver.observe(_ -> {});
      catalog.releaseSaves();
      saver.release();
      copying.unlock();
    }
  }
}
