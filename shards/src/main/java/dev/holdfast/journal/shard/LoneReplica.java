package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.journal.replica.SavedPoint;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** A replica whose log is given up, because the nodes that kept it with this one are lost. */
public final class LoneReplica {

  /** How the names of directories begin that have replicas which were {@link #setAside}. */
  public static final String SET_ASIDE_PREFIX = "set-aside-";

  private LoneReplica() {}

  /**
   * Returns the last entry of the log that a replica has durably in its own files.
   *
   * @param directory of the replica
   * @param disk the disk
   * @return its index; empty if the replica has none, or there is no replica
   * @throws DataDirectoryException if the replica cannot be read
   */
  public static OptionalLong appliedIndex(Path directory, Disk disk) {
    try {
      CatchUp.finish(disk, directory);
      Saved found = new SavedFile(disk, directory).read();
      return found == null ? OptionalLong.empty() : found.point().entry();
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The copy of the shard cannot be read", e);
    }
  }

  /**
   * Sets all files of a replica aside that no process has open, so that an empty one is opened in
   * its place. Safe to repeat after a kill.
   *
   * @param directory of the replica
   * @param disk the disk
   * @param name of the directory in it that has the files from then on
   * @param kept what stays: the directory of the log
   * @throws DataDirectoryException if the files cannot be moved
   */
  public static void setAside(Path directory, Disk disk, String name, Path kept) {
    Path target = directory.resolve(name);
    try {
      disk.ensureDirectory(target);
      for (Path each : disk.list(directory)) {
        boolean stays =
            each.equals(kept) || String.valueOf(each.getFileName()).startsWith(SET_ASIDE_PREFIX);
        if (!stays) {
          disk.move(each, target.resolve(each.getFileName()));
        }
      }
      disk.forceDirectory(target);
      disk.forceDirectory(directory);
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The copy of the shard cannot be set aside (" + e.getMessage() + ")", e);
    }
  }

  /**
   * Separates a replica that no process has open from its log: it keeps all it has, knows no owner,
   * and takes the first entry of a new log next. Doing so twice has no effect.
   *
   * @param directory of the replica, which has everything that its log can give
   * @param disk the disk
   * @throws DataDirectoryException if the directory is not one of a replica, or cannot be written
   */
  public static void leaveLog(Path directory, Disk disk) {
    SavedFile file = new SavedFile(disk, directory);
    try {
      CatchUp.finish(disk, directory);
      Saved found = file.read();
      if (found == null) {
        throw new DataDirectoryException(directory, "There is no copy of a shard", null);
      }
      SavedPoint point = found.point();
      // They are of the old log: what the nodes of the new one have there are other records.
      CatchUp.discardOld(disk, directory.resolve("journal"), Long.MAX_VALUE);
      file.write(
          new Saved(
              point.withoutLog(),
              found.incarnation(),
              found.lowWaterMark(),
              // An ownership of the old log must not cover what another node appends to the new.
              found.owned().end(point.lastPosition()),
              /* owner= */ null));
    } catch (IOException e) {
      throw new DataDirectoryException(
          directory, "The copy of the shard cannot be separated from its log", e);
    }
  }
}
