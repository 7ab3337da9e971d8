package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** A replica whose log is given up, because the nodes that kept it with this one are lost. */
public final class LoneReplica {

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
              point.at(SavedPoint.NO_ENTRY).in(0),
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
