package dev.holdfast.journal.check;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.check.ReplicaTail.SavedEnd;
import dev.holdfast.journal.check.SegmentSurvey.Extent;
import dev.holdfast.journal.file.MarkFile;
import dev.holdfast.journal.file.MarkFile.CleanEnd;
import dev.holdfast.journal.file.MarkFile.Mark;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.journal.file.SegmentHeader.State;
import dev.holdfast.journal.file.SegmentIndex;
import dev.holdfast.journal.file.SegmentIndexFile;
import dev.holdfast.journal.file.SegmentReader;
import dev.holdfast.journal.file.SegmentWalk;
import dev.holdfast.journal.file.SegmentWalk.Hole;
import dev.holdfast.journal.file.Segments;
import dev.holdfast.spi.RecordVisitor;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.disk.Disk.Mode;
import dev.holdfast.spi.disk.DiskFile;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a whole journal of which no one is the owner now, history included, and goes on after
 * damage. Changes nothing. Reports what {@code docs/formats/journal.md} does not allow, and gives
 * the records that can be read.
 *
 * <p>Confined to one thread.
 */
public final class JournalSurvey implements SurveyedRecords {

  private static final String ONE_COPY = "Restore the whole data directory from one backup.";
  private static final String REPAIR =
      "Restore a backup; without one, run ./holdfast repair, which keeps what the objects' files"
          + " and the records before the damage have, and lists the objects that lose something.";
  private static final String UNKNOWN_LOSS =
      "Changes of unknown objects that their own files do not have.";

  /**
   * Records that cannot be read.
   *
   * @param firstPosition the first of them
   * @param endPosition the position after the last; the end of the journal may be unknown
   */
  public record Lost(long firstPosition, long endPosition) {}

  private final Disk disk;
  private final Path markFile;
  private final Segments segments;
  private final Consumer<Finding> findings;
  private final List<SegmentSurvey> surveys = new ArrayList<>();
  private final List<Lost> lost = new ArrayList<>();
  private @Nullable Mark mark;
  private boolean isMarkThere;
  private long journalId;
  private long lowWaterMark = 1;
  private long endPosition = 1;
  private long readBytes;
  private boolean isMarkWrong;
  private final List<Path> wrongIndexes = new ArrayList<>();

  /** What a replica of a shard states; null for the journal of a single machine. */
  private final @Nullable SavedEnd end;

  private JournalSurvey(
      Disk disk,
      Path markFile,
      Segments segments,
      @Nullable SavedEnd end,
      Consumer<Finding> findings) {
    this.end = end;
    this.disk = disk;
    this.markFile = markFile;
    this.segments = segments;
    this.findings = findings;
  }

  /**
   * Reads a journal.
   *
   * @param disk where it is
   * @param directory the directory of the segments
   * @param markFile the mark beside it
   * @param findings receives what is wrong
   * @return what was read
   * @throws IOException if a file cannot be read
   */
  public static JournalSurvey read(
      Disk disk, Path directory, Path markFile, Consumer<Finding> findings) throws IOException {
    JournalSurvey survey =
        new JournalSurvey(
            disk, markFile, Segments.list(disk, directory), /* end= */ null, findings);
    survey.run();
    return survey;
  }

  /**
   * Reads the journal of a replica of a shard, which has no mark: what is after the end that the
   * replica states is read as far as it continues, and need not be there.
   *
   * @param disk where it is
   * @param directory the directory of the segments
   * @param saved the file that states the end
   * @param end what it states
   * @param findings receives what is wrong
   * @return what was read
   * @throws IOException if a file cannot be read
   */
  public static JournalSurvey readReplica(
      Disk disk, Path directory, Path saved, SavedEnd end, Consumer<Finding> findings)
      throws IOException {
    JournalSurvey survey =
        new JournalSurvey(disk, saved, Segments.list(disk, directory), end, findings);
    survey.runReplica(end);
    return survey;
  }

  private void runReplica(SavedEnd stated) throws IOException {
    journalId = stated.journalId();
    for (long first : segments.from(0)) {
      if (first < stated.segment()) {
        SegmentSurvey found = SegmentSurvey.read(disk, segments.fileOf(first), first);
        checkIndex(found);
        surveys.add(found);
      }
    }
    boolean isNewestThere = stated.segment() == 0;
    for (SegmentSurvey found : ReplicaTail.read(disk, segments, stated)) {
      isNewestThere |= found.firstPosition == stated.segment();
      surveys.add(found);
    }
    for (SegmentSurvey found : surveys) {
      readBytes += found.sizeBytes;
      found.index = null; // as large as the file beside the segment
    }
    endPosition = surveys.isEmpty() ? 1 : surveys.getLast().endPosition;
    lowWaterMark = Math.clamp(stated.lowWaterMark(), 1, stated.lastPosition() + 1);
    checkBegin(stated);
    for (int i = 0; i < surveys.size() && surveys.get(i).firstPosition <= stated.segment(); i++) {
      SegmentSurvey next = i + 1 < surveys.size() ? surveys.get(i + 1) : null;
      boolean isNextSaved = next != null && next.firstPosition <= stated.segment();
      check(surveys.get(i), isNextSaved ? next : null);
    }
    if (!isNewestThere) {
      reportLost(FindingKind.SEGMENT_MISSING, stated.segment(), stated, "The segment is missing.");
      lost.add(new Lost(Math.min(endPosition, stated.segment()), Long.MAX_VALUE));
    } else if (endPosition - 1 < stated.lastPosition()) {
      reportLost(
          FindingKind.JOURNAL_SHORT,
          stated.segment(),
          stated,
          "The records end at position "
              + (endPosition - 1)
              + ", and the node states that it has them up to "
              + stated.lastPosition()
              + ".");
      lost.add(new Lost(endPosition, stated.lastPosition() + 1));
    } else if (stated.segment() != 0) {
      checkSalt(stated);
    }
  }

  private void reportLost(FindingKind kind, long segment, SavedEnd stated, String meaning) {
    report(
        Severity.ERROR,
        kind,
        segments.fileOf(segment),
        kind == FindingKind.JOURNAL_SHORT ? surveys.getLast().endOffset : 0,
        meaning,
        "Changes up to position " + stated.lastPosition() + ".",
        REPAIR);
  }

  private void checkBegin(SavedEnd stated) {
    SegmentSurvey first = surveys.isEmpty() ? null : surveys.getFirst();
    if (first != null && first.firstPosition > stated.oldest()) {
      boolean isNeeded = first.firstPosition > lowWaterMark;
      report(
          isNeeded ? Severity.ERROR : Severity.WARNING,
          FindingKind.SEGMENT_MISSING,
          segments.fileOf(stated.oldest()),
          0,
          "The segments before position " + first.firstPosition + " are missing.",
          isNeeded ? UNKNOWN_LOSS : "History of objects.",
          REPAIR);
      lost.add(new Lost(stated.oldest(), first.firstPosition));
    }
  }

  private void checkSalt(SavedEnd stated) {
    for (SegmentSurvey each : surveys) {
      if (each.firstPosition == stated.segment()
          && each.header != null
          && each.header.salt() != stated.salt()) {
        report(
            Severity.ERROR,
            FindingKind.SEGMENT_DAMAGED,
            each.path,
            0,
            "It is another segment than the one that the node states.",
            UNKNOWN_LOSS,
            REPAIR);
      }
    }
  }

  private void run() throws IOException {
    readMark();
    for (long first : segments.from(0)) {
      SegmentSurvey found = SegmentSurvey.read(disk, segments.fileOf(first), first);
      readBytes += found.sizeBytes;
      if (segments.after(first) != null) {
        checkIndex(found);
      }
      found.index = null; // as large as the file beside the segment
      surveys.add(found);
    }
    SegmentSurvey newest = surveys.isEmpty() ? null : surveys.getLast();
    Mark known = mark;
    journalId = known != null ? known.journalId() : idOfNewest();
    if (newest != null) {
      endPosition = newest.endPosition;
      for (SegmentSurvey each : surveys) {
        lowWaterMark = Math.max(lowWaterMark, each.lowWaterMark);
      }
      lowWaterMark = Math.min(lowWaterMark, endPosition);
    }
    checkSegmentsAreThere(newest);
    for (int i = 0; i < surveys.size(); i++) {
      check(surveys.get(i), i + 1 < surveys.size() ? surveys.get(i + 1) : null);
    }
    if (newest != null) {
      checkEnd(newest);
      if (newest.head != State.VALID && newest.extents.isEmpty()) {
        lost.add(new Lost(newest.firstPosition, Long.MAX_VALUE));
      }
    }
  }

  private long idOfNewest() {
    for (SegmentSurvey each : surveys.reversed()) {
      if (each.header != null) {
        return each.header.journalId();
      }
    }
    return 0;
  }

  private void readMark() throws IOException {
    isMarkThere = disk.exists(markFile);
    try {
      mark = new MarkFile(disk, markFile).read();
    } catch (DataDirectoryException e) {
      boolean isNewer = String.valueOf(e.getMessage()).contains("newer version");
      report(
          Severity.ERROR,
          isNewer ? FindingKind.VERSION_UNKNOWN : FindingKind.MARK_DAMAGED,
          markFile,
          0,
          isNewer
              ? "The mark was written by a newer version."
              : "The mark is damaged: its length, magic or checksum is wrong.",
          isNewer ? Finding.NOTHING : "The proof that the journal is the newest one.",
          isNewer
              ? "Use the version that wrote it."
              : "If no other file is reported, ./holdfast repair writes it again from the"
                  + " journal.");
    }
  }

  private void checkSegmentsAreThere(@Nullable SegmentSurvey newest) {
    Mark known = mark;
    if (known != null
        && known.newestSegment() > 0
        && (newest == null || newest.firstPosition < known.newestSegment())) {
      report(
          Severity.ERROR,
          FindingKind.SEGMENT_MISSING,
          segments.fileOf(known.newestSegment()),
          0,
          "The segment is missing, and the mark names it.",
          "All changes from position " + known.newestSegment() + " on. " + UNKNOWN_LOSS,
          REPAIR);
      lost.add(new Lost(known.newestSegment(), Long.MAX_VALUE));
    }
    if (surveys.isEmpty()) {
      return;
    }
    SegmentSurvey oldest = surveys.getFirst();
    if (oldest.firstPosition > lowWaterMark) {
      report(
          Severity.ERROR,
          FindingKind.SEGMENT_MISSING,
          segments.fileOf(lowWaterMark),
          0,
          "The segment that holds position "
              + lowWaterMark
              + ", which the databases need, is missing.",
          "Changes from position "
              + lowWaterMark
              + " to "
              + (oldest.firstPosition - 1)
              + ". "
              + UNKNOWN_LOSS,
          REPAIR);
      lost.add(new Lost(lowWaterMark, oldest.firstPosition));
    }
    if (!isMarkThere
        && surveys.stream().anyMatch(each -> each.header != null && each.header.isMarked())) {
      report(
          Severity.ERROR,
          FindingKind.MARK_MISSING,
          markFile,
          0,
          "The mark is missing, and the journal says that there is one.",
          "The proof that the journal is the newest one.",
          "If no other file is reported, ./holdfast repair writes it again from the journal.");
    }
  }

  private void check(SegmentSurvey each, @Nullable SegmentSurvey next) {
    checkHeader(each);
    for (Hole hole : each.holes) {
      reportHole(each, hole.offset(), hole.firstPosition(), hole.endPosition());
    }
    if (each.isMarkWrong && end == null) { // a directory that was adopted has marks, and then none
      report(
          Severity.ERROR,
          FindingKind.RECORDS_DAMAGED,
          each.path,
          0,
          "A group has a low-water mark that is lower than one before it, or above its end.",
          Finding.NOTHING,
          ONE_COPY);
    }
    if (next != null) {
      long known = Math.max(each.endPosition, endOfHoles(each));
      if (known < next.firstPosition) {
        reportHole(each, each.endOffset, known, next.firstPosition);
      } else if (each.endPosition > next.firstPosition) {
        report(
            Severity.ERROR,
            FindingKind.SEGMENT_DAMAGED,
            next.path,
            0,
            "The segment begins at a position that the segment before it has too.",
            "It is not known which of the two belongs here.",
            ONE_COPY);
      }
    }
  }

  private static long endOfHoles(SegmentSurvey each) {
    return each.holes.isEmpty() ? 0 : each.holes.getLast().endPosition();
  }

  private void checkHeader(SegmentSurvey each) {
    boolean isNeeded = isNeeded(each);
    Severity severity = isNeeded ? Severity.ERROR : Severity.WARNING;
    SegmentHeader header = each.header;
    String wrong =
        switch (each.head) {
          case SHORT -> "The file has only " + each.sizeBytes + " bytes, less than a header.";
          case DAMAGED -> "The header is damaged: its magic or its checksum is wrong.";
          case OTHER_VERSION -> "The segment was written by another version.";
          case VALID ->
              header == null
                  ? ""
                  : header.firstPosition() != each.firstPosition
                      ? "By its header the segment begins at position "
                          + header.firstPosition()
                          + ", and by its name at "
                          + each.firstPosition
                          + "."
                      : header.journalId() != journalId
                          ? "The segment belongs to another journal."
                          : each.sizeBytes < header.allocatedBytes()
                              ? "The file was truncated from "
                                  + header.allocatedBytes()
                                  + " bytes to "
                                  + each.sizeBytes
                                  + "."
                              : "";
        };
    if (!wrong.isEmpty()) {
      boolean isReadable = !each.extents.isEmpty() && each.holes.isEmpty();
      report(
          severity,
          each.head == State.OTHER_VERSION
              ? FindingKind.VERSION_UNKNOWN
              : FindingKind.SEGMENT_DAMAGED,
          each.path,
          0,
          wrong,
          isReadable
              ? "Nothing up to position " + (each.endPosition - 1) + "."
              : isNeeded ? UNKNOWN_LOSS : "History of objects.",
          each.head == State.OTHER_VERSION
              ? "Use the version that wrote it."
              : isNeeded ? REPAIR : "Nothing now; restores to moments before it fail.");
    }
  }

  private boolean isNeeded(SegmentSurvey each) {
    Long next = segments.after(each.firstPosition);
    return next == null || next > lowWaterMark;
  }

  private void reportHole(SegmentSurvey each, long offset, long first, long end) {
    boolean isNeeded = end > lowWaterMark;
    String positions = "positions " + first + " to " + (end - 1);
    report(
        isNeeded ? Severity.ERROR : Severity.WARNING,
        FindingKind.RECORDS_DAMAGED,
        each.path,
        offset,
        "No valid group is here, and there are later ones. Unreadable: "
            + (end > first ? positions : "no record")
            + ".",
        isNeeded
            ? "Of the " + positions + ": " + UNKNOWN_LOSS
            : "History: no object can be restored to a moment before position " + end + ".",
        isNeeded ? REPAIR : "Nothing now. Make a backup, and check the disk.");
    lost.add(new Lost(first, end));
  }

  private void checkIndex(SegmentSurvey each) throws IOException {
    Path file = segments.indexFileOf(each.firstPosition);
    SegmentIndex records = each.index;
    SegmentHeader header = each.header;
    if (records == null || header == null || !disk.exists(file)) {
      return;
    }
    SegmentIndex kept = SegmentIndexFile.read(disk, file, header);
    if (kept == null
        || kept.endOffset() != records.endOffset()
        || !Arrays.equals(kept.toBytes(), records.toBytes())) {
      report(
          Severity.WARNING,
          FindingKind.INDEX_DAMAGED,
          file,
          0,
          kept == null
              ? "The index is damaged or of another segment."
              : "The index differs from the records of its segment.",
          Finding.NOTHING,
          kept == null
              ? "Nothing: it is rebuilt from the segment. Check the disk."
              : "Remove the file: it is rebuilt from the segment.");
    }
  }

  private void checkEnd(SegmentSurvey newest) {
    Mark known = mark;
    CleanEnd clean = known == null ? null : known.cleanEnd();
    SegmentHeader header = newest.header;
    boolean isClean = clean != null && header != null && clean.salt() == header.salt();
    if (known != null && endPosition - 1 < known.endPosition()) {
      report(
          Severity.ERROR,
          FindingKind.JOURNAL_SHORT,
          newest.path,
          newest.endOffset,
          "The journal ends at position "
              + (endPosition - 1)
              + ", and its mark says that it was durable up to "
              + known.endPosition()
              + ".",
          "Changes up to position " + known.endPosition() + ". " + UNKNOWN_LOSS,
          REPAIR);
      lost.add(new Lost(endPosition, known.endPosition() + 1));
    } else if (isClean && clean != null && clean.endOffset() != newest.endOffset) {
      report(
          Severity.ERROR,
          FindingKind.MARK_DAMAGED,
          markFile,
          0,
          "By the mark the journal was closed with its end at byte "
              + clean.endOffset()
              + ", and its groups end at byte "
              + newest.endOffset
              + ".",
          newest.endOffset < clean.endOffset() ? "No record: only empty groups." : Finding.NOTHING,
          "Run ./holdfast repair, which writes the mark again.");
    } else if (newest.isTorn && newest.holes.isEmpty()) {
      report(
          Severity.WARNING,
          FindingKind.TAIL_TORN,
          newest.path,
          newest.endOffset,
          "The last group, which begins at position " + endPosition + ", is not whole.",
          "Nothing that was acknowledged, if the process or the machine stopped while the group was"
              + " written. Damage to the last group looks the same.",
          "Nothing: the next opening cuts it off, and so does ./holdfast repair.");
    }
  }

  private void report(
      Severity severity,
      FindingKind kind,
      Path file,
      long offset,
      String meaning,
      String loss,
      String remedy) {
    isMarkWrong |= kind == FindingKind.MARK_MISSING || kind == FindingKind.MARK_DAMAGED;
    if (kind == FindingKind.INDEX_DAMAGED) {
      wrongIndexes.add(file);
    }
    findings.accept(new Finding(severity, kind, file, offset, null, meaning, loss, remedy));
  }

  /** {@return the records from the low-water mark on that cannot be read} */
  public List<Lost> lost() {
    return lost.stream().filter(each -> each.endPosition() > lowWaterMark).toList();
  }

  /**
   * Removes indexes that are damaged, writes damaged headers of segments again if all their groups
   * can be read, and a mark that is missing or damaged. Call it only for a journal that has lost
   * nothing, and of which the caller is the owner.
   *
   * @return what was done, as sentences
   * @throws IOException if a file cannot be written
   */
  public List<String> repair() throws IOException {
    List<String> done = new ArrayList<>();
    for (SegmentSurvey each : surveys) {
      if (each.head == State.DAMAGED && !each.extents.isEmpty() && journalId != 0) {
        writeHeader(each);
        disk.delete(segments.indexFileOf(each.firstPosition)); // it names the time in the header
        done.add("Wrote the header of " + each.path + " again; all its groups could be read.");
      }
    }
    for (Path file : wrongIndexes) {
      disk.delete(file);
      done.add("Removed " + file + "; it is rebuilt from its segment.");
    }
    SegmentSurvey newest = surveys.isEmpty() ? null : surveys.getLast();
    if (isMarkWrong && newest != null) {
      new MarkFile(disk, markFile).opened(journalId, endPosition - 1, newest.firstPosition);
      done.add("Wrote " + markFile + " again: the journal ends at " + (endPosition - 1) + ".");
    }
    return done;
  }

  private void writeHeader(SegmentSurvey each) throws IOException {
    SegmentHeader header =
        new SegmentHeader(
            each.firstPosition,
            journalId,
            each.extents.getFirst().salt(),
            0, // a low-water mark never goes down, and the groups have theirs
            each.sizeBytes,
            SegmentHeader.UNKNOWN_MILLIS,
            /* isMarked= */ true);
    try (DiskFile file = disk.open(each.path, Mode.WRITE)) {
      file.write(header.encode(), 0, SegmentHeader.LENGTH_BYTES, 0);
      file.force();
    }
  }

  /** {@return the first position that belongs to the journal: history, or what views need} */
  public long beginPosition() {
    return surveys.isEmpty()
        ? lowWaterMark
        : Math.min(lowWaterMark, surveys.getFirst().firstPosition);
  }

  /** {@return when the segments that say it were begun, in order, milliseconds since 1970} */
  public List<Long> begunMillis() {
    List<Long> begun = new ArrayList<>();
    for (SegmentSurvey each : surveys) {
      if (each.header != null) {
        begun.add(each.header.wallMillis());
      }
    }
    return List.copyOf(begun);
  }

  /** {@return the groups that can be read} */
  public SurveyedGroups groups() {
    return new SurveyedGroups(
        disk, surveys.stream().flatMap(each -> each.extents.stream()).toList());
  }

  /** {@return the position of the last record that can be read; 0 if there is none} */
  public long lastPosition() {
    return endPosition - 1;
  }

  /** {@return how many bytes of segments were read} */
  public long readBytes() {
    return readBytes;
  }

  /** {@return how many segments there are} */
  public int segmentCount() {
    return surveys.size();
  }

  @Override
  public long journalId() {
    return journalId;
  }

  @Override
  public long firstPosition() {
    return lowWaterMark;
  }

  /** {@return the position from which on every record can be read, up to the end} */
  @Override
  public long oldestPosition() {
    long from = endPosition;
    for (SegmentSurvey each : surveys.reversed()) {
      for (Extent extent : each.extents.reversed()) {
        if (extent.endPosition() != from) {
          return from;
        }
        from = extent.firstPosition();
      }
    }
    return from;
  }

  @Override
  public RecordCursor cursor() {
    return new ExtentCursor(disk, surveys.stream().flatMap(each -> each.extents.stream()).toList());
  }

  @Override
  public void forEach(RecordVisitor visitor) {
    forEachFrom(lowWaterMark, (_, _) -> true, visitor);
  }

  @Override
  public void forEachFrom(long position, RecordVisitor visitor) {
    forEachFrom(position, (_, _) -> true, visitor);
  }

  @Override
  public void forEachFrom(long position, Selection wanted, RecordVisitor visitor) {
    for (SegmentSurvey each : surveys) {
      for (Extent extent : each.extents) {
        if (extent.endPosition() > position) {
          read(extent, position, wanted, visitor);
        }
      }
    }
  }

  private void read(Extent extent, long position, Selection wanted, RecordVisitor visitor) {
    try (SegmentReader reader = SegmentReader.open(disk, extent.file())) {
      SegmentWalk walk = new SegmentWalk(reader, extent.salt(), extent.start());
      SegmentWalk.Step step = SegmentWalk.Selected.from(position, wanted, visitor);
      while (walk.position() < extent.endPosition()) {
        if (walk.next(step) == null) {
          throw new IOException("the segment was valid a moment ago, and no longer is");
        }
      }
    } catch (IOException e) {
      throw new DataDirectoryException(extent.file(), "The journal segment cannot be read", e);
    }
  }
}
