package dev.holdfast.spi.storage;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StorageThreads;
import java.nio.file.Path;

/**
 * Opens a storage backend for namespaces that ask for it by name. A runtime finds providers with
 * {@link java.util.ServiceLoader}: the artifact of a backend names its provider in {@code
 * META-INF/services/dev.holdfast.spi.storage.StorageProvider} and, if it has a module descriptor,
 * with {@code provides ... with}. The class is public, with a public constructor without
 * parameters, and loads nothing that may be missing before {@link #open}.
 *
 * <p>A backend of somebody else keeps the records since its first batch in the journal: its {@link
 * StorageBackend#lowWaterMark} never passes that batch. So backups, archives and copies for other
 * nodes, which know only the files of SQLite and RocksDB, have all of its data.
 */
public interface StorageProvider {

  /** The lowest view id of a backend of somebody else; the highest is {@link #VIEW_ID_MAX}. */
  int VIEW_ID_MIN = 64;

  /** The highest view id of a backend of somebody else. */
  int VIEW_ID_MAX = 252;

  /** {@return the name that namespaces ask for; it never changes} */
  StorageKind kind();

  /**
   * {@return the number that marks the records of the backend in the journal; it never changes}
   * From {@link #VIEW_ID_MIN} to {@link #VIEW_ID_MAX}; two backends of one application differ.
   */
  int viewId();

  /**
   * Opens the backend. Called at most once for an opening of a runtime, if a namespace asks for it
   * or the journal has records of it. Blocks; not on a virtual thread. If it fails, it has closed
   * what it has opened.
   *
   * @param opening where, and with what
   * @return the backend, not yet recovered; the runtime closes it
   * @throws dev.holdfast.HoldfastException if the backend cannot be opened; nothing was changed
   */
  StorageBackend open(Opening opening);

  /**
   * What a backend is opened with. It uses the parts until it is closed, and closes none of them.
   *
   * @param directory the data directory, absolute, which exists
   * @param journal takes the batches
   * @param log the records of the journal, as it was opened
   * @param threads run native calls that block
   * @param time the clock
   * @param options the options of the runtime
   */
  record Opening(
      Path directory,
      Journal journal,
      RecoveryLog log,
      StorageThreads threads,
      TimeSource time,
      RuntimeOptions options) {}
}
