package dev.holdfast.console.flow;

import dev.holdfast.console.page.AnswerMembers;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The archive, and the jobs that copy or purge. Immutable.
 *
 * @param frame what surrounds it
 * @param state what the archive does
 * @param archivedTo when the last archived record was written; null if it is not known
 * @param imageOf when the last record of the newest base image was written; null if not known
 * @param figures the other numbers, by name
 * @param reasons what the health says about the archive
 * @param jobs the last backup and the last purge
 */
public record ArchivePage(
    PageFrame frame,
    String state,
    @Nullable String archivedTo,
    @Nullable String imageOf,
    Map<String, String> figures,
    List<String> reasons,
    List<Job> jobs) {

  private static final int JOBS_MAX = 10;

  /**
   * A job.
   *
   * @param kind what it does
   * @param subject to what; empty for the archive
   * @param state whether it runs
   * @param began when it began
   * @param ended when it ended; null while it runs
   * @param result what it has made, or why it failed
   */
  public record Job(
      String kind,
      String subject,
      String state,
      String began,
      @Nullable String ended,
      String result) {}

  /** {@return whether the runtime has an archive} */
  public boolean hasArchive() {
    return !state.equals("NONE");
  }

  /** {@return whether a job runs, so that the page is read again} */
  public boolean isBusy() {
    return jobs.stream().anyMatch(each -> each.ended() == null);
  }

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static ArchivePage read(PageFrame frame, Source source) {
    Map<String, @Nullable Object> stats = source.ask(OperatorRequest.of("stats"), 1).one();
    Map<?, ?> archive = AnswerMembers.map(stats, "archive");
    List<String> reasons = new ArrayList<>();
    for (Map<?, ?> each :
        AnswerMembers.list(source.ask(OperatorRequest.of("health"), 1).one(), "reasons")) {
      if (Text.of(each.get("code")).startsWith("archive")) {
        reasons.add(Text.of(each.get("text")));
      }
    }
    return new ArchivePage(
        frame,
        Text.of(archive.get("state")),
        timeAt(source, archive.get("position")),
        timeAt(source, archive.get("basePosition")),
        figures(archive, AnswerMembers.map(stats, "journal")),
        List.copyOf(reasons),
        source.ask(OperatorRequest.of("jobs"), JOBS_MAX).answers().stream()
            .map(ArchivePage::job)
            .toList());
  }

  private static Map<String, String> figures(Map<?, ?> archive, Map<?, ?> journal) {
    Map<String, String> figures = new LinkedHashMap<>();
    figures.put("Archived position", Text.number(archive.get("position")));
    long missing = number(journal.get("durablePosition")) - number(archive.get("position"));
    figures.put("Records to archive", Text.number(Math.max(0, missing)));
    figures.put("Lag", Text.duration(archive.get("lagNanos")));
    figures.put("Failed operations", Text.number(archive.get("failures")));
    figures.put("Base image, position", Text.number(archive.get("basePosition")));
    figures.put("Archived since the opening", Text.bytes(archive.get("bytes")));
    figures.put("Parts since the opening", Text.number(archive.get("chunks")));
    figures.put("Retention", retention(archive.get("retention")));
    figures.put("Generation", Text.number(archive.get("generation")));
    return figures;
  }

  /** Without one, every moment stays restorable. */
  private static String retention(@Nullable Object of) {
    if (!(of instanceof String text)) {
      return "all moments";
    }
    Duration time = Duration.parse(text);
    return time.toDays() > 0 ? time.toDays() + " days" : time.toHours() + " hours";
  }

  private static long number(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  /** The journal may not keep the record, and a cluster has no single position. */
  private static @Nullable String timeAt(Source source, @Nullable Object position) {
    long at = number(position);
    if (at == 0) {
      return null;
    }
    try {
      List<Map<String, @Nullable Object>> found =
          source.ask(OperatorRequest.of("journal").with("from", at).with("to", at), 1).answers();
      return found.isEmpty() ? null : (String) found.getFirst().get("time");
    } catch (PageException e) {
      return null;
    }
  }

  private static Job job(Map<String, @Nullable Object> each) {
    Map<?, ?> result = AnswerMembers.map(each, "result");
    String text =
        each.get("error") != null
            ? Text.of(each.get("error"))
            : result.containsKey("files")
                ? "%s files as of position %s, %s copied, %s kept"
                    .formatted(
                        Text.number(result.get("files")),
                        Text.number(result.get("position")),
                        Text.bytes(result.get("bytesCopied")),
                        Text.bytes(result.get("bytesKept")))
                : result.containsKey("firstPosition")
                    ? "The archive begins with position " + Text.number(result.get("firstPosition"))
                    : "";
    return new Job(
        Text.of(each.get("kind")),
        Text.of(each.get("subject")),
        Text.of(each.get("state")),
        Text.of(each.get("began")),
        (String) each.get("ended"),
        text);
  }
}
