package dev.holdfast.journal.file;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.JournalCorruptException;
import dev.holdfast.journal.file.MarkFile.CleanEnd;
import dev.holdfast.journal.file.MarkFile.Mark;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The expectations that the mark beside a journal states: refuses a journal that is missing, older
 * than before, or another directory's. Immutable.
 *
 * @param file the mark; null if this journal has none
 * @param mark its content; null if it is missing
 */
public record ExpectedJournal(@Nullable Path file, @Nullable Mark mark) {

  public static final ExpectedJournal ANY = new ExpectedJournal(null, null);

  private static final String OLDER =
      ". The journal was removed or is an older copy, and what was acknowledged would be missing";

  private static final String ONE_COPY = "Restore the whole data directory from one copy";

  /** {@return the id that the journal has; null if it has none yet} */
  @Nullable Long journalId() {
    return mark == null ? null : mark.journalId();
  }

  /** Refuses a directory that lacks its newest segment. */
  void requireSegments(Segments segments) {
    if (mark == null || mark.newestSegment() == 0) {
      return;
    }
    if (segments.isEmpty() || segments.newest() < mark.newestSegment()) {
      Path missing = segments.fileOf(mark.newestSegment());
      throw new JournalCorruptException(
          missing,
          0,
          mark.newestSegment(),
          "the segment is missing, but " + file + " names it" + OLDER,
          ONE_COPY);
    }
  }

  /** Refuses the journal of another directory, and one whose mark was removed. */
  void requireJournal(Path segment, SegmentHeader header) {
    if (mark == null) {
      if (file != null && header.isMarked()) {
        throw new DataDirectoryException(
            file,
            "The file is missing; it names the journal that belongs to this directory and where it"
                + " ends. Restore the whole data directory from one copy; nothing was changed",
            null);
      }
    } else if (header.journalId() != mark.journalId()) {
      throw new JournalCorruptException(
          segment,
          0,
          header.firstPosition(),
          "it does not belong to the journal that " + file + " names" + OLDER,
          ONE_COPY);
    }
  }

  /** Refuses a journal that ends before a position that was once durable. */
  void requireEnd(Path segment, long lastPosition) {
    if (mark != null && lastPosition < mark.endPosition()) {
      throw new JournalCorruptException(
          segment,
          0,
          lastPosition + 1,
          "the journal ends at position "
              + lastPosition
              + ", but "
              + file
              + " says that it was durable up to "
              + mark.endPosition()
              + OLDER,
          ONE_COPY);
    }
  }

  /**
   * {@return the end of the journal if this is its newest segment; null if the end must be searched
   * for}
   */
  @Nullable CleanEnd cleanEndOf(SegmentHeader newest) {
    CleanEnd end = mark == null ? null : mark.cleanEnd();
    return end != null && end.salt() == newest.salt() ? end : null;
  }
}
