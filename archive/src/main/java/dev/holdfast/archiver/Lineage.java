package dev.holdfast.archiver;

import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.Generation.Origin;
import dev.holdfast.journal.JournalTail;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.RecordKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A generation and those that it follows: the history of one data directory. */
final class Lineage {

  private final ArchiveFiles files;

  Lineage(ArchiveFiles files) {
    this.files = files;
  }

  /**
   * Chunks of one generation that belong to a lineage.
   *
   * @param generation the generation
   * @param lastPosition later records do not belong to the lineage
   * @param chunks its chunks that begin at or before the last position, in order
   */
  record Part(Generation generation, long lastPosition, List<Chunk> chunks) {

    /** {@return the chunks from the one that has a position on} */
    List<Chunk> chunksFrom(long position) {
      int first = 0;
      while (first + 1 < chunks.size() && chunks.get(first + 1).firstPosition() <= position) {
        first++;
      }
      return lastPosition < position ? List.of() : chunks.subList(first, chunks.size());
    }
  }

  /** {@return the parts that lead to a generation, oldest first} */
  List<Part> leadingTo(Generation newest) throws IOException {
    List<Part> parts = new ArrayList<>();
    Generation generation = newest;
    long lastPosition = Long.MAX_VALUE;
    while (generation != null) {
      Part part = part(generation, lastPosition);
      parts.addFirst(part);
      lastPosition = Math.min(lastPosition, generation.origin().position());
      generation = origin(generation);
    }
    return parts;
  }

  /**
   * Finds where a journal leaves a lineage: the last archived record that is also in the journal.
   * As both follow one order, all records before it are the same as well.
   *
   * @param newest the generation to which the lineage leads; null for none
   * @return that record; {@link Origin#NONE} if there is none
   */
  Origin commonWith(JournalTail journal, @Nullable Generation newest) throws IOException {
    Generation generation = newest;
    long lastPosition = journal.durablePosition();
    while (generation != null) {
      Part part = part(generation, lastPosition);
      long common = commonWith(journal, part);
      if (common > 0) {
        return new Origin(generation.number(), common);
      }
      lastPosition = Math.min(lastPosition, generation.origin().position());
      generation = origin(generation);
    }
    return Origin.NONE;
  }

  private @Nullable Generation origin(Generation generation) throws IOException {
    long number = generation.origin().generation();
    return number == 0 ? null : files.generation(number);
  }

  private Part part(Generation generation, long lastPosition) throws IOException {
    List<Chunk> chunks =
        files.chunks(generation.number()).stream()
            .filter(chunk -> chunk.firstPosition() <= lastPosition)
            .toList();
    return new Part(generation, lastPosition, chunks);
  }

  /** {@return the last record of a part that the journal has as well; 0 if there is none} */
  private long commonWith(JournalTail journal, Part part) throws IOException {
    // The chunks before some index are those of the journal: a search by halves, the last one
    // first because that is nearly always it.
    int low = 0;
    int high = part.chunks().size();
    long common = 0;
    while (low < high) {
      int index = high == part.chunks().size() ? high - 1 : (low + high) >>> 1;
      JournalChunk chunk = files.read(part.chunks().get(index), part.generation().journalId());
      long position = Math.min(chunk.lastPosition(), part.lastPosition());
      if (position < journal.oldestPosition()) {
        low = index + 1; // cannot be compared: only a later one can be common
      } else if (isSame(chunk.record(position), journal.read(position, 0), position)) {
        common = position;
        low = index + 1;
      } else {
        high = index;
      }
    }
    return common;
  }

  private static boolean isSame(
      @Nullable JournalRecord archived, @Nullable JournalChunk chunk, long position) {
    return isSame(archived, chunk == null ? null : chunk.record(position));
  }

  /** {@return whether two records are the same one of a journal; not if one is missing} */
  static boolean isSame(@Nullable JournalRecord archived, @Nullable JournalRecord own) {
    if (archived != null && own != null && (isVoid(archived) || isVoid(own))) {
      return archived.wallMillis() == own.wallMillis(); // purged in one place, all else is gone
    }
    return archived != null
        && own != null
        && archived.wallMillis() == own.wallMillis()
        && archived.kind() == own.kind()
        // A restore gives the checkpoints of the archive to no view.
        && (archived.viewId() == own.viewId() || own.kind() == RecordKind.CHECKPOINT)
        && archived.key().equals(own.key())
        && archived.payload().equals(own.payload());
  }

  private static boolean isVoid(JournalRecord record) {
    return record.kind() == RecordKind.CHECKPOINT
        && record.viewId() == RecordKind.VOID_VIEW
        && record.key().namespace().isEmpty();
  }
}
