package dev.holdfast.archiver;

import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archiver.ArchiveFiles.Chunk;
import dev.holdfast.archiver.BaseFiles.Place;
import dev.holdfast.errors.ArchiveException;
import dev.holdfast.journal.file.JournalChunk;
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
  private final BaseFiles bases;
  private final Path place;
  private final List<Finding> findings = new ArrayList<>();

  private final TreeMap<Long, Generation> generations = new TreeMap<>();

  /** Up to where records of a generation belong to the lineage of the newest one. */
  private final Map<Long, Long> neededUpTo = new HashMap<>();

  /** The last record of each generation that has chunks. */
  private final Map<Long, Long> ends = new HashMap<>();

  /** The sound images of the newest generation's lineage, by position. */
  private final TreeMap<Long, Base> images = new TreeMap<>();

  private long readBytes;
  private long chunkCount;
  private long baseCount;

  private ArchiveCheck(ArchiveStore store, Path place) {
    this.files = new ArchiveFiles(store);
    this.bases = new BaseFiles(files);
    this.place = place;
  }

  /**
   * What a check has found. Immutable.
   *
   * @param findings what was found, in the order generations, base images, chunks, origins
   * @param generations how many generations were read
   * @param bases how many base images were read
   * @param chunks how many chunks were read
   * @param lastPosition the last record of the newest generation's lineage; 0 if there is none
   * @param readBytes how many bytes of chunks and base images were read
   */
  public record Result(
      List<Finding> findings,
      long generations,
      long bases,
      long chunks,
      long lastPosition,
      long readBytes) {

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
    // An image before the chunks: those that it needs were added before it was.
    List<Long> numbers = files.numbers();
    List<Place> places = BaseFiles.complete(bases.entries());
    SortedMap<Long, List<Chunk>> chunks = files.chunks();
    List<Long> present = files.numbers();
    if (numbers.isEmpty() && chunks.isEmpty()) {
      throw new ArchiveException(files + " has no archive. Check the place", null);
    }
    long newest = numbers.isEmpty() ? 0 : numbers.getLast();
    long before = 0;
    for (long number : numbers) {
      if (number != before + 1) {
        reportLost(before + 1, "The entries before generation " + number + " are missing.");
      }
      readGeneration(number);
      before = number;
    }
    followLineage(newest);
    for (Place each : places) {
      checkBase(each);
    }
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
        baseCount,
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
        reportLost(number, "The generation belongs to another data directory.");
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
    if (generation.hasGap()) {
      reportRecords(generation.number(), origin.position() + 1, generation.firstPosition() - 1);
    }
  }

  /** {@return the last record of the lineage of a generation} */
  private long end(long number) {
    Generation generation = generations.get(number);
    return ends.getOrDefault(number, generation == null ? 0 : generation.firstPosition() - 1);
  }

  // ---------------------------------------------------------------- base images

  private void checkBase(Place place) throws IOException {
    String entry = place.name();
    try {
      Base base = bases.read(place);
      if (base == null || base.isGivenUp()) {
        return; // deleted meanwhile, or never complete
      }
      baseCount++;
      for (int i = 0; i < base.packs().size(); i++) {
        entry = place.pack(i);
        readBytes += bases.read(place, i, base.packs().get(i)).length;
      }
      if (place.position() <= neededUpTo.getOrDefault(place.generation(), 0L)) {
        images.put(place.position(), base);
      }
    } catch (DamagedEntryException e) {
      if (bases.exists(place)) { // else deleted meanwhile
        report(
            Severity.WARNING,
            FindingKind.ARCHIVE_ENTRY_DAMAGED,
            entry,
            e.meaning(),
            "Moments that only this base image leads to; other restores begin with an earlier"
                + " one.");
      }
    }
  }

  /** {@return whether older records were deleted, or may be: no base image needs them} */
  private boolean isTrimmed(long position) {
    return !images.isEmpty() && position < images.firstEntry().getValue().firstPosition();
  }

  // ---------------------------------------------------------------- chunks

  private void checkChunks(Generation generation, List<Chunk> chunks) throws IOException {
    long next = generation.firstPosition();
    for (int i = 0; i < chunks.size(); i++) {
      Chunk each = chunks.get(i);
      long lastMax = i + 1 < chunks.size() ? chunks.get(i + 1).firstPosition() - 1 : Long.MAX_VALUE;
      if (each.firstPosition() > next) {
        reportRecords(generation.number(), next, each.firstPosition() - 1);
      } else if (each.firstPosition() < next && i > 0) {
        reportChunk(each, lastMax, "The chunk begins with records of the chunk before it.");
      }
      next = Math.max(next, after(each, lastMax, generation.journalId()));
    }
    ends.put(generation.number(), next - 1);
  }

  /** {@return the position after the last record of a chunk; that of the first if it is damaged} */
  private long after(Chunk chunk, long lastMax, long journalId) throws IOException {
    chunkCount++;
    readBytes += chunk.bytes();
    try {
      JournalChunk read = files.read(chunk, journalId);
      return read.lastPosition() + 1;
    } catch (DamagedEntryException e) {
      reportChunk(chunk, lastMax, e.meaning());
    } catch (IOException e) {
      if (files.bytes(chunk.name()) != null) {
        throw e;
      }
      reportChunk(chunk, lastMax, "The chunk was deleted meanwhile.");
    }
    return chunk.firstPosition();
  }

  // ---------------------------------------------------------------- findings

  private void reportChunk(Chunk chunk, long lastMax, String meaning) {
    reportPositions(
        FindingKind.ARCHIVE_ENTRY_DAMAGED,
        chunk.name(),
        chunk.generation(),
        chunk.firstPosition(),
        lastMax,
        meaning);
  }

  private void reportRecords(long generation, long missingFrom, long last) {
    if (isTrimmed(last)) {
      return;
    }
    long first =
        isTrimmed(missingFrom) ? images.firstEntry().getValue().firstPosition() : missingFrom;
    reportPositions(
        FindingKind.ARCHIVE_ENTRY_LOST,
        ArchiveFiles.folderOf(generation),
        generation,
        first,
        last,
        "No chunk has the records " + first + " to " + last + ".");
  }

  private void reportPositions(
      FindingKind kind, String name, long generation, long first, long last, String meaning) {
    boolean isOfNewest = first <= neededUpTo.getOrDefault(generation, 0L);
    boolean isNeeded =
        isOfNewest && (images.isEmpty() || last >= images.lastEntry().getValue().firstPosition());
    report(
        isNeeded ? Severity.ERROR : Severity.WARNING,
        kind,
        name,
        meaning,
        isNeeded
            ? "Every moment from position " + first + " on."
            : isOfNewest
                ? "Moments from position " + first + " to the next base image."
                : "Moments of an earlier generation; the newest lineage does not have these"
                    + " records.");
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
