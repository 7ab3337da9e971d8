package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.JournalChunk;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Checks an archive: reads every entry, and follows the positions within each generation and from
 * generation to generation. Changes nothing; a runtime may archive meanwhile. Confined to one
 * thread.
 */
public final class ArchiveCheck {

  private final ArchiveFiles files;
  private final Path place;
  private final List<Finding> findings = new ArrayList<>();

  private final TreeMap<Long, Generation> generations = new TreeMap<>();

  /** Up to where records of a generation belong to the lineage of the newest one. */
  private final Map<Long, Long> neededUpTo = new HashMap<>();

  /** The last record of each generation that has chunks. */
  private final Map<Long, Long> ends = new HashMap<>();

  private long readBytes;
  private long chunkCount;

  private ArchiveCheck(ArchiveStore store, Path place) {
    this.files = new ArchiveFiles(store);
    this.place = place;
  }

  /**
   * What a check has found. Immutable.
   *
   * @param findings what was found, in the order generations, chunks, origins
   * @param generations how many generations were read
   * @param chunks how many chunks were read
   * @param lastPosition the last record of the newest generation's lineage; 0 if there is none
   * @param readBytes how many bytes of chunks were read
   */
  public record Result(
      List<Finding> findings, long generations, long chunks, long lastPosition, long readBytes) {

    /**
     * Creates a result.
     *
     * @param findings what was found; copied
     */
    public Result {
      findings = List.copyOf(findings);
    }
  }

  /**
   * Checks an archive.
   *
   * @param store the archive; not closed
   * @param place what findings name before the name of an entry
   * @return what was found
   * @throws ArchiveException if the place has no archive
   * @throws IOException if the store fails
   */
  public static Result run(ArchiveStore store, Path place) throws IOException {
    return new ArchiveCheck(store, place).run();
  }

  private Result run() throws IOException {
    // A generation before the chunks: the records up to its origin were added before it was. A
    // generation that is taken meanwhile may have chunks, and is none of those that are checked.
    List<Long> numbers = files.numbers();
    SortedMap<Long, List<Chunk>> chunks = files.chunks();
    List<Long> present = files.numbers();
    if (numbers.isEmpty() && chunks.isEmpty()) {
      throw new ArchiveException(files + " has no archive. Check the place", null);
    }
    long newest = numbers.isEmpty() ? 0 : numbers.getLast();
    long before = 0;
    for (long number : numbers) {
      if (number != before + 1) {
        reportLost(before + 1, "The entries before that of generation " + number + " are missing.");
      }
      readGeneration(number);
      before = number;
    }
    followLineage(newest);
    for (Map.Entry<Long, List<Chunk>> each : chunks.entrySet()) {
      long number = each.getKey();
      if (number > newest && !present.contains(number)) {
        reportLost(number, "The generation has chunks, and its entry is missing.");
      } else if (generations.containsKey(number)) {
        checkChunks(generations.get(number), each.getValue());
      }
    }
    generations.values().forEach(this::checkOrigin);
    return new Result(
        findings,
        generations.size(),
        chunkCount,
        generations.isEmpty() ? 0 : end(newest),
        readBytes);
  }

  // ---------------------------------------------------------------- generations

  private void readGeneration(long number) throws IOException {
    try {
      Generation read = files.generation(number);
      if (read == null) {
        reportLost(number, "The entry of the generation was deleted meanwhile.");
      } else if (!generations.isEmpty()
          && read.journalId() != generations.firstEntry().getValue().journalId()) {
        reportLost(number, "The generation is that of another data directory.");
      } else {
        generations.put(number, read);
      }
    } catch (DamagedEntryException e) {
      reportLost(number, e.meaning());
    }
  }

  private void reportLost(long number, String meaning) {
    report(
        Severity.ERROR,
        FindingKind.ARCHIVE_ENTRY_LOST,
        ArchiveFiles.nameOf(number),
        meaning,
        "Every moment that a lineage with this generation has.");
  }

  private void followLineage(long newest) {
    long upTo = Long.MAX_VALUE;
    Generation generation = generations.get(newest);
    while (generation != null && neededUpTo.putIfAbsent(generation.number(), upTo) == null) {
      upTo = Math.min(upTo, generation.origin().position());
      generation = generations.get(generation.origin().generation());
    }
  }

  /** The records before a generation must be there: it may have none of its own. */
  private void checkOrigin(Generation generation) {
    Generation.Origin origin = generation.origin();
    if (origin.generation() == 0) {
      return;
    }
    if (origin.generation() >= generation.number()) {
      reportLost(generation.number(), "The generation continues a later one.");
    } else if (generations.containsKey(origin.generation())
        && end(origin.generation()) < origin.position()) {
      reportRecords(origin.generation(), end(origin.generation()) + 1, origin.position());
    }
  }

  /** {@return the last record of the lineage of a generation} */
  private long end(long number) {
    Generation generation = generations.get(number);
    return ends.getOrDefault(number, generation == null ? 0 : generation.origin().position());
  }

  // ---------------------------------------------------------------- chunks

  private void checkChunks(Generation generation, List<Chunk> chunks) throws IOException {
    long next = generation.origin().position() + 1;
    boolean isFirst = true;
    for (Chunk each : chunks) {
      if (each.firstPosition() > next) {
        reportRecords(generation.number(), next, each.firstPosition() - 1);
      } else if (each.firstPosition() < next && !isFirst) {
        reportChunk(each, "The chunk begins with records of the chunk before it.");
      }
      isFirst = false;
      next = Math.max(next, after(each, generation.journalId()));
    }
    ends.put(generation.number(), next - 1);
  }

  /** {@return the position after the last record of a chunk; that of the first if it is damaged} */
  private long after(Chunk chunk, long journalId) throws IOException {
    chunkCount++;
    readBytes += chunk.bytes();
    try {
      JournalChunk read = files.read(chunk, journalId);
      return read.lastPosition() + 1;
    } catch (DamagedEntryException e) {
      reportChunk(chunk, e.meaning());
      return chunk.firstPosition();
    }
  }

  // ---------------------------------------------------------------- findings

  private void reportChunk(Chunk chunk, String meaning) {
    reportPositions(
        FindingKind.ARCHIVE_ENTRY_DAMAGED,
        chunk.name(),
        chunk.generation(),
        chunk.firstPosition(),
        meaning);
  }

  private void reportRecords(long generation, long first, long last) {
    reportPositions(
        FindingKind.ARCHIVE_ENTRY_LOST,
        ArchiveFiles.folderOf(generation),
        generation,
        first,
        "No chunk has the records " + first + " to " + last + ".");
  }

  private void reportPositions(
      FindingKind kind, String name, long generation, long first, String meaning) {
    boolean isNeeded = first <= neededUpTo.getOrDefault(generation, 0L);
    report(
        isNeeded ? Severity.ERROR : Severity.WARNING,
        kind,
        name,
        meaning,
        isNeeded
            ? "Every moment from position " + first + " on."
            : "Moments of an earlier generation; the newest lineage does not have these records.");
  }

  private void report(
      Severity severity, FindingKind kind, String name, String meaning, String lost) {
    findings.add(
        new Finding(
            severity,
            kind,
            place.resolve(name),
            0,
            null,
            meaning,
            lost,
            severity == Severity.ERROR
                ? "Make a backup of the data directory now. Earlier moments can be restored with"
                    + " --at. If the journal still has its first record, archive to a new place."
                : "Nothing, unless those moments are needed."));
  }
}
