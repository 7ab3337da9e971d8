package dev.holdfast.journal.check;

import dev.holdfast.journal.DirectoryLock;
import dev.holdfast.journal.FileJournal;
import dev.holdfast.spi.RecoveryLog;
import dev.holdfast.spi.disk.Disk;
import dev.holdfast.spi.verify.Finding;
import java.io.IOException;
import java.nio.file.Path;
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
   *     gaps; {@link RecoveryLog#oldestPosition} is after the last of them
   * @param lastPosition the position of the last record that can be read; 0 if there is none
   * @param lost the ranges of positions, from the low-water mark on, that cannot be read
   * @param segments how many segments there are
   * @param readBytes how many bytes of them were read
   */
  public record Result(
      RecoveryLog records, long lastPosition, List<Range> lost, int segments, long readBytes) {

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
        survey.readBytes());
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
