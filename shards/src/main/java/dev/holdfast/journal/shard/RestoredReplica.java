package dev.holdfast.journal.shard;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.replica.OwnedPositions;
import dev.holdfast.journal.replica.Saved;
import dev.holdfast.journal.replica.SavedFile;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * What an archive has of a shard, as a replica that has left its log. The records are those of many
 * nodes. A checkpoint describes files that are here only if it was appended by the node whose files
 * were archived; a file of the image says which these are.
 */
public final class RestoredReplica {

  private RestoredReplica() {}

  /**
   * Makes a data directory that was restored that of a replica, durably. Checks the whole journal.
   *
   * @param disk where it is
   * @param directory of the shard, which has its journal and mark, and either the files of an image
   *     with what {@link ShardJournal#stateOf} has said of them, or no file of an object
   * @param incarnations makes the incarnation of the replica
   * @throws DataDirectoryException if it is damaged, or cannot be read or written
   * @throws dev.holdfast.errors.JournalCorruptException if the journal is not the restored one
   */
  public static void prepare(Disk disk, Path directory, LongSupplier incarnations) {
    SavedFile file = new SavedFile(disk, directory);
    try {
      Saved ofImage = file.read();
      Saved whole = AdoptedJournal.state(disk, directory, incarnations, (_, _) -> {});
      file.write(
          new Saved(
              whole.point(),
              whole.incarnation(),
              ofImage == null ? 1 : ofImage.lowWaterMark(),
              ofImage == null ? OwnedPositions.NONE : ofImage.owned(),
              /* owner= */ null));
      disk.delete(directory.resolve(FileJournal.MARK_FILE_NAME)); // a shard has none
      disk.forceDirectory(directory);
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The shard cannot be read or written", e);
    }
  }

  /**
   * Makes a data directory that this node has made of another one that of a replica, durably. All
   * of its records count as appended by this node: its checkpoints describe the files that are
   * here. Checks the whole journal.
   *
   * @param disk where it is
   * @param directory of the shard, which has its journal and mark, and the files of its objects
   * @param incarnations makes the incarnation of the replica
   * @return the position of the last record; 0 if there is none
   * @throws DataDirectoryException if it is damaged, or cannot be read or written
   */
  public static long prepareOwn(Disk disk, Path directory, LongSupplier incarnations) {
    try {
      Saved whole = AdoptedJournal.state(disk, directory, incarnations, (_, _) -> {});
      new SavedFile(disk, directory).write(whole);
      disk.delete(directory.resolve(FileJournal.MARK_FILE_NAME)); // a shard has none
      disk.forceDirectory(directory);
      return whole.point().lastPosition();
    } catch (IOException e) {
      throw new DataDirectoryException(directory, "The shard cannot be read or written", e);
    }
  }
}
