package dev.holdfast.backend.rocksdb.file;

import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.disk.FileDisk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import org.rocksdb.RocksDBException;

/**
 * Cuts off the torn end of a {@link Manifest}. RocksDB itself refuses a torn manifest: it does not
 * know that the journal has the missing data.
 *
 * <p>The state without the end is first opened beside the database, with the same tables under a
 * second name. Only if it has everything that the journal can no longer supply does the cut file
 * replace the torn one, in one step. The same check refuses damage that is not at the end: the
 * state before it lacks tables or changes.
 *
 * <p>Used by the thread that opens the database.
 */
public final class TornManifest {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** Inspects a database. */
  @FunctionalInterface
  public interface Look {

    /**
     * {@return the position up to which it has every batch}
     *
     * @throws RocksDBException if it cannot be opened
     */
    long appliedIn(Path directory) throws RocksDBException;
  }

  private final Disk disk = new FileDisk();
  private final Path directory;
  private final Path trial;
  private final Look look;

  public TornManifest(Path directory, Look look) {
    this.directory = directory;
    this.trial = directory.resolveSibling(directory.getFileName() + ".trial");
    this.look = look;
  }

  /**
   * Cuts the file if the previous state is usable.
   *
   * @param isUsable decides by the position up to which that state has every batch
   * @return whether it was cut; if not, nothing has changed
   */
  public boolean cut(LongPredicate isUsable) throws IOException {
    Path manifest = Manifest.of(directory);
    if (manifest == null) {
      return false;
    }
    byte[] torn = Files.readAllBytes(manifest);
    int valid = Manifest.validBytes(torn);
    if (valid == 0 || valid == torn.length) {
      return false;
    }
    try {
      Path cut = prepareTrial(manifest, torn, valid);
      long applied = look.appliedIn(trial);
      if (!isUsable.test(applied)) {
        return false;
      }
      disk.move(cut, manifest);
      disk.forceDirectory(directory);
      LOG.log(
          Level.WARNING,
          "The last {0} bytes of {1} were torn, as by a power cut, and are truncated; the"
              + " RocksDB database has changes up to journal position {2}, and the later ones are"
              + " read from the journal, which has all of them",
          Integer.toString(torn.length - valid),
          manifest,
          Long.toString(applied));
      return true;
    } catch (RocksDBException e) {
      LOG.log(Level.WARNING, manifest + " cannot be repaired by cutting off its end", e);
      return false;
    } finally {
      deleteTrial();
    }
  }

  private Path prepareTrial(Path manifest, byte[] torn, int valid) throws IOException {
    deleteTrial();
    disk.createDirectories(trial);
    for (Path file : disk.list(directory)) {
      if (file.toString().endsWith(".sst")) {
        Files.createLink(trial.resolve(file.getFileName()), file);
      }
    }
    Files.copy(directory.resolve("CURRENT"), trial.resolve("CURRENT"));
    Path cut = trial.resolve(manifest.getFileName());
    try (DiskFile opened = disk.open(cut, Mode.CREATE)) {
      opened.write(torn, 0, valid, 0);
      opened.force();
    }
    return cut;
  }

  private void deleteTrial() throws IOException {
    for (Path file : disk.list(trial)) {
      disk.delete(file);
    }
    disk.delete(trial);
  }
}
