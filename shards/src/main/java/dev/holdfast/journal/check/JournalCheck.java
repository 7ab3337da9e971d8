package dev.holdfast.journal.check;

import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.Finding;
import dev.holdfast.spi.verify.FindingKind;
import dev.holdfast.spi.verify.Severity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks the journal of a data directory that no runtime has open, history included. Changes
 * nothing. {@code docs/formats/journal.md} states what is checked.
 */
public final class JournalCheck {

  private JournalCheck() {}

  /**
   * The result.
   *
   * @param records all records that can be read. Unlike the log of an open journal it may have
   *     gaps; {@link SurveyedRecords#oldestPosition} is after the last of them
   * @param lastPosition the position of the last record that can be read; 0 if there is none
   * @param lost the ranges of positions, from the low-water mark on, that cannot be read
   * @param segments how many segments there are
   * @param readBytes how many bytes of them were read
   * @param begunMillis when the segments that say it were begun, in order, milliseconds since 1970
   */
  public record Result(
      SurveyedRecords records,
      long lastPosition,
      List<Range> lost,
      int segments,
      long readBytes,
      List<Long> begunMillis) {

    /** {@return whether every record that a view may need can be read} */
    public boolean isWhole() {
      return lost.isEmpty();
    }
  }

  /**
   * Positions in the journal.
   *
   * @param first the first
   * @param end the position after the last; {@link Long#MAX_VALUE} if it is not known
   */
  public record Range(long first, long end) {}

  /**
   * Checks a journal.
   *
   * @param disk where it is
   * @param dataDirectory the data directory
   * @param findings receives what is wrong
   * @return what was read
   * @throws IOException if a file cannot be read
   */
  public static Result run(Disk disk, Path dataDirectory, Consumer<Finding> findings)
      throws IOException {
    JournalSurvey survey = survey(disk, dataDirectory, findings);
    return new Result(
        survey,
        survey.lastPosition(),
        survey.lost().stream()
            .map(each -> new Range(each.firstPosition(), each.endPosition()))
            .toList(),
        survey.segmentCount(),
        survey.readBytes(),
        survey.begunMillis());
  }

  /**
   * Checks a journal of which other nodes will have copies.
   *
   * @param disk where it is
   * @param data the data directory
   * @return what was read
   * @throws DataDirectoryException if it is damaged
   * @throws IOException if a file cannot be read
   */
  public static Result requireSound(Disk disk, Path data) throws IOException {
    List<Finding> findings = new ArrayList<>();
    Result result = run(disk, data, findings::add);
    requireSound(data, findings);
    return result;
  }

  /**
   * Requires that a check has found no damage.
   *
   * @param data the directory with the journal
   * @param found what it has found
   * @throws DataDirectoryException if it has found damage
   */
  public static void requireSound(Path data, List<Finding> found) {
    List<Finding> findings = found.stream().filter(JournalCheck::isDamage).toList();
    if (!findings.isEmpty()) {
      Finding first = findings.getFirst();
      throw new DataDirectoryException(
          first.file(),
          "The journal is damaged: "
              + first.meaning()
              + " Other nodes would get that. See ./holdfast verify --data "
              + data
              + ", repair the directory, and repeat this; nothing was changed",
          null);
    }
  }

  /** An end that a kill has left is cut, and an index is made again from its segment. */
  private static boolean isDamage(Finding found) {
    return found.severity() != Severity.NOTE
        && found.kind() != FindingKind.TAIL_TORN
        && found.kind() != FindingKind.INDEX_DAMAGED;
  }

  private static JournalSurvey survey(Disk disk, Path dataDirectory, Consumer<Finding> findings)
      throws IOException {
    return JournalSurvey.read(
        disk,
        dataDirectory.resolve(FileJournal.DIRECTORY_NAME),
        dataDirectory.resolve(FileJournal.MARK_FILE_NAME),
        findings);
  }

  /**
   * Repairs what loses nothing: damaged indexes are removed, headers of segments whose groups can
   * all be read and a missing or damaged mark are written again. Does nothing if the journal has
   * lost a record that a view may need. A torn tail is cut when the journal is opened.
   *
   * @param disk where it is
   * @param lock of the data directory
   * @return what was done, as sentences
   * @throws IOException if a file cannot be read or written
   */
  public static List<String> repair(Disk disk, DirectoryLock lock) throws IOException {
    JournalSurvey survey = survey(disk, lock.directory(), _ -> {});
    return survey.lost().isEmpty() ? survey.repair() : List.of();
  }
}
