package dev.holdfast.backend.sqlite.catalog;

import dev.holdfast.backend.sqlite.file.FileRefusedException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Whether the file of the catalog is the one that was saved. A large file is read in parts in the
 * background, and completely before the file is changed. Works under the lock of the {@link
 * SqliteCatalog}; any thread asks whether the file is damaged.
 */
final class CatalogCheck {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  private final ReentrantLock lock;
  private final CatalogWork background;
  private final CatalogErrors errors;
  private final AtomicBoolean due = new AtomicBoolean();

  /** The expected content of the file; guarded by lock. Null before it is opened. */
  private @Nullable CatalogPages pages;

  // Guarded by lock.
  private boolean ended;

  /** Why the catalog is no longer trusted; null while it is. */
  private volatile @Nullable FileRefusedException damage;

  CatalogCheck(ReentrantLock lock, CatalogWork background, CatalogErrors errors) {
    this.lock = lock;
    this.background = background;
    this.errors = errors;
  }

  /** Begins to check a file that was opened. */
  void begin(CatalogPages opened) {
    pages = opened;
    later();
  }

  /** Ends the checks in the background. */
  void end() {
    ended = true;
  }

  /** Reads a large file in parts, so that other work can run in between. */
  private void later() {
    CatalogPages reading = pages;
    if (reading == null || reading.isChecked()) {
      return;
    }
    background.later(
        due,
        () -> {
          due.set(false);
          checkSome(reading);
        });
  }

  private void checkSome(CatalogPages reading) {
    lock.lock();
    try {
      if (ended || reading.isChecked() || damage != null) {
        return;
      }
      reading.checkSome();
    } catch (FileRefusedException e) {
      damaged(e);
    } catch (IOException e) {
      LOG.log(Level.WARNING, () -> "Reading " + errors.file() + " failed; check the disk.", e);
      return; // read again before it is saved
    } finally {
      lock.unlock();
    }
    later();
  }

  /** {@return the pages of the file, all checked} */
  CatalogPages checked() throws IOException {
    CatalogPages saving = Objects.requireNonNull(pages);
    try {
      saving.checkAll();
    } catch (FileRefusedException e) {
      damaged(e);
      throw e;
    }
    return saving;
  }

  /** From now on nothing in the file is trusted or saved, so the journal keeps all records. */
  private void damaged(FileRefusedException e) {
    damage = e;
    LOG.log(Level.ERROR, () -> String.valueOf(errors.failed("used", e).getMessage()));
  }

  boolean isDamaged() {
    return damage != null;
  }

  void requireUndamaged() {
    FileRefusedException refusal = damage;
    if (refusal != null) {
      throw errors.failed("used", refusal);
    }
  }
}
