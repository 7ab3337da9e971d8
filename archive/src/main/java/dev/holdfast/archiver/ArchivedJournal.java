package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.Lineage.Part;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.spi.JournalRecord;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The records that an archive has of one journal, up to a record that both have. Changes nothing in
 * the archive. Confined to one thread.
 */
public final class ArchivedJournal {

  /**
   * Records of the archive.
   *
   * @param chunk has them
   * @param lastPosition later records of the chunk are not those of the journal
   */
  @SuppressWarnings("exports") // verify sees the package of the chunk
  public record Found(JournalChunk chunk, long lastPosition) {}

  private final ArchiveFiles files;
  private final List<Part> parts;

  /** The last chunk that was read; the next position is nearly always in it. */
  private @Nullable Found last;

  private ArchivedJournal(ArchiveFiles files, List<Part> parts) {
    this.files = files;
    this.parts = parts;
  }

  /**
   * Finds the lineage that leads to a record: as the archive and the journal follow one order, all
   * records before it are the same as well.
   *
   * @param store the archive; not closed
   * @param journalId the id of the journal
   * @param witness a record of the journal
   * @return the records of the lineage, newest generation first
   * @throws ArchiveException if the archive cannot be read, is that of another journal, or no
   *     lineage has the record
   */
  public static ArchivedJournal with(ArchiveStore store, long journalId, JournalRecord witness) {
    ArchiveFiles files = new ArchiveFiles(store);
    try {
      List<Generation> generations = files.generations();
      if (generations.isEmpty()) {
        throw new ArchiveException(files + " has no archive. Check the place", null);
      }
      for (Generation each : generations.reversed()) {
        if (each.journalId() != journalId) {
          throw new ArchiveException(files + " has the archive of another data directory", null);
        }
        ArchivedJournal found = new ArchivedJournal(files, new Lineage(files).leadingTo(each));
        Found around = found.holding(witness.position());
        if (around != null && Lineage.isSame(around.chunk().record(witness.position()), witness)) {
          return found;
        }
      }
    } catch (IOException e) {
      throw ArchiveFiles.unreadable(e);
    }
    throw new ArchiveException(
        files
            + " does not have the record at position "
            + witness.position()
            + ", the first that can be read after the damage",
        null);
  }

  /**
   * {@return the records around a position; null if the archive does not have that one}
   *
   * @param position the position
   * @throws IOException if it cannot be read
   */
  public @Nullable Found holding(long position) throws IOException {
    Found known = last;
    if (known != null && has(known, position)) {
      return known;
    }
    for (Part part : parts) {
      if (position <= part.lastPosition()) {
        return holding(part, position);
      }
    }
    return null;
  }

  /** A later part begins after the last position of this one: no other can have the record. */
  private @Nullable Found holding(Part part, long position) throws IOException {
    List<Chunk> chunks = part.chunksFrom(position);
    if (chunks.isEmpty() || chunks.getFirst().firstPosition() > position) {
      return null;
    }
    JournalChunk chunk;
    try {
      chunk = files.read(chunks.getFirst(), part.generation().journalId());
    } catch (DamagedEntryException e) {
      throw ArchiveFiles.unreadable(e);
    }
    Found found = new Found(chunk, part.lastPosition());
    if (!has(found, position)) {
      return null;
    }
    last = found;
    return found;
  }

  private static boolean has(Found found, long position) {
    return found.chunk().firstPosition() <= position
        && position <= Math.min(found.chunk().lastPosition(), found.lastPosition());
  }
}
