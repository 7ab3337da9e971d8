package dev.holdfast.verify;

import dev.holdfast.archiver.ArchivedJournal;
import dev.holdfast.archiver.RestoredJournal;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.journal.check.JournalCheck;
import dev.holdfast.journal.check.JournalSurvey;
import dev.holdfast.journal.check.SurveyedGroups;
import dev.holdfast.journal.check.SurveyedGroups.Groups;
import dev.holdfast.journal.check.SurveyedGroups.Stretch;
import dev.holdfast.journal.file.JournalChunk;
import dev.holdfast.journal.file.SegmentHeader;
import dev.holdfast.spi.JournalRecord;
import dev.holdfast.spi.disk.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a journal whole again that is damaged before its end: the records that cannot be read come
 * from an archive of the journal, all others from the journal itself. Each record keeps its
 * position and its time. A damaged end is not made whole: nothing shows where it was. Changes
 * nothing in the damaged directory. Confined to one thread.
 */
final class JournalRefill {

  /** No second group is added to a written one beyond this size. */
  private static final int GROUP_BYTES = 4 << 20;

  private final Disk disk;
  private final JournalSurvey survey;
  private final SurveyedGroups groups;
  private final List<Stretch> stretches;

  private JournalRefill(Disk disk, JournalSurvey survey) {
    this.disk = disk;
    this.survey = survey;
    this.groups = survey.groups();
    this.stretches = groups.stretches();
  }

  /** Whether the journal can be made whole. */
  public sealed interface Answer {}

  /**
   * It cannot.
   *
   * @param why a part of a sentence that says why
   */
  public record Impossible(String why) implements Answer {}

  /**
   * How the journal can be made whole.
   *
   * @param firstPosition the first record that it has then
   * @param filled what comes from the source, oldest first
   * @param historyEnd history before this position stays lost; 0 if none is
   */
  public record Plan(long firstPosition, List<JournalCheck.Range> filled, long historyEnd)
      implements Answer {

    /**
     * Creates a plan.
     *
     * @param filled what comes from the source; copied
     */
    public Plan {
      filled = List.copyOf(filled);
    }
  }

  /**
   * Reads a damaged journal.
   *
   * @param disk where it is
   * @param dataDirectory its data directory
   * @return the refill
   * @throws IOException if a file cannot be read
   */
  public static JournalRefill of(Disk disk, Path dataDirectory) throws IOException {
    return new JournalRefill(
        disk,
        JournalSurvey.read(
            disk,
            dataDirectory.resolve(FileJournal.DIRECTORY_NAME),
            dataDirectory.resolve(FileJournal.MARK_FILE_NAME),
            _ -> {}));
  }

  /** {@return the id of the journal} */
  public long journalId() {
    return survey.journalId();
  }

  /** {@return whether records cannot be read that are before others, history included} */
  public boolean hasHoles() {
    return !stretches.isEmpty() && !holes().isEmpty();
  }

  /**
   * {@return the first record after all damage: a source that has it as well has the records of
   * this journal before it; null if nothing can be read after the damage}
   *
   * @throws IOException if it cannot be read any more
   */
  public @Nullable JournalRecord witness() throws IOException {
    if (stretches.isEmpty()) {
      return null;
    }
    long last = stretches.getLast().endPosition();
    if (survey.lost().stream().anyMatch(each -> each.endPosition() > last)) {
      return null;
    }
    List<JournalCheck.Range> holes = holes();
    if (holes.isEmpty()) {
      return null;
    }
    long first = holes.getLast().end();
    return chunk(first).record(first);
  }

  /** {@return what cannot be read before the last record that can, oldest first} */
  private List<JournalCheck.Range> holes() {
    List<JournalCheck.Range> holes = new ArrayList<>();
    long next = survey.beginPosition();
    for (Stretch each : stretches) {
      if (each.firstPosition() > next) {
        holes.add(new JournalCheck.Range(next, each.firstPosition()));
      }
      next = Math.max(next, each.endPosition());
    }
    return holes;
  }

  private boolean hasOverlap() {
    for (int i = 1; i < stretches.size(); i++) {
      if (stretches.get(i).firstPosition() < stretches.get(i - 1).endPosition()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Looks up what is missing. Writes nothing.
   *
   * @param source has the records before the {@link #witness}
   * @return the plan, or why there is none
   * @throws IOException if the source cannot be read
   */
  public Answer plan(ArchivedJournal source) throws IOException {
    if (hasOverlap()) {
      return new Impossible("two segments of the journal have the same positions");
    }
    List<JournalCheck.Range> holes = holes();
    for (int i = holes.size() - 1; i >= 0; i--) {
      JournalCheck.Range hole = holes.get(i);
      long missing = firstMissing(hole, source);
      if (missing < hole.end() && hole.end() > survey.firstPosition()) {
        return new Impossible("it does not have the record at position " + missing);
      } else if (missing < hole.end()) {
        return new Plan(hole.end(), holes.subList(i + 1, holes.size()), hole.end());
      }
    }
    return new Plan(survey.beginPosition(), holes, 0);
  }

  private static long firstMissing(JournalCheck.Range hole, ArchivedJournal source)
      throws IOException {
    long next = hole.first();
    while (next < hole.end()) {
      ArchivedJournal.Found found = source.holding(next);
      if (found == null) {
        return next;
      }
      next = Math.min(found.lastPosition(), found.chunk().lastPosition()) + 1;
    }
    return hole.end();
  }

  /**
   * Writes the whole journal.
   *
   * @param plan what comes from the source
   * @param source the same source
   * @param dataDirectory where the journal and its mark are written; it has neither
   * @param salts random numbers
   * @throws IOException if it cannot be written, or the source not be read
   */
  public void write(Plan plan, ArchivedJournal source, Path dataDirectory, LongSupplier salts)
      throws IOException {
    RestoredJournal.Origin origin =
        new RestoredJournal.Origin(
            survey.journalId(),
            plan.firstPosition(),
            survey.firstPosition(),
            Long.MAX_VALUE, // the files that checkpoints describe are in the directory
            firstMillis(plan, source));
    try (RestoredJournal whole =
        new RestoredJournal(disk, dataDirectory, origin, _ -> true, new HashSet<>(), salts)) {
      for (Stretch each : stretches) {
        while (whole.nextPosition() < each.firstPosition()) {
          ArchivedJournal.Found found =
              Objects.requireNonNull(source.holding(whole.nextPosition()), "found by the plan");
          whole.add(found.chunk(), Math.min(found.lastPosition(), each.firstPosition() - 1));
        }
        while (whole.nextPosition() < each.endPosition()) {
          whole.add(chunk(whole.nextPosition()), each.endPosition() - 1);
        }
      }
      whole.finish();
    }
  }

  /** {@return the time of the first record: it can be in the middle of a segment} */
  private long firstMillis(Plan plan, ArchivedJournal source) throws IOException {
    long first = plan.firstPosition();
    boolean isFilled = !plan.filled().isEmpty() && plan.filled().getFirst().first() == first;
    JournalChunk chunk =
        isFilled
            ? Objects.requireNonNull(source.holding(first), "found by the plan").chunk()
            : chunk(first);
    return Objects.requireNonNull(chunk.record(first)).wallMillis();
  }

  private JournalChunk chunk(long position) throws IOException {
    Groups found = groups.read(position, GROUP_BYTES);
    SegmentHeader segment =
        new SegmentHeader(
            found.found().firstPosition(),
            survey.journalId(),
            found.salt(),
            0,
            found.found().bytes().capacity(),
            found.begunMillis(),
            /* isMarked= */ true);
    return JournalChunk.of(segment, found.found(), found.file());
  }
}
