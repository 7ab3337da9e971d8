package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.recovery.Backup;
import dev.holdfast.spi.inspect.OperatorJobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes backups and purges the archive for operators. They need not wait for it. Thread-safe.
 *
 * @param jobs has those that nobody waits for
 * @param maker makes a backup in a directory
 * @param purge begins to purge the archive; completes with the first position that is left
 */
public record LongOperations(
    OperatorJobs jobs, Function<Path, Backup> maker, Supplier<CompletableFuture<Long>> purge) {

  /**
   * Performs the operation {@code archive-purge}.
   *
   * @param request says whether the asker waits
   * @param answers receives the first position, or the job
   * @return a sentence for a person; null if there is none
   * @throws OperatorException if the purge has failed
   */
  public @Nullable String purgeArchive(OperatorRequest request, Answers answers) {
    answers.add(
        request.isSet("background") ? jobs.start("archive purge", "", this::purged) : purged());
    return null;
  }

  private Map<String, @Nullable Object> purged() {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("firstPosition", Operations.ended(purge.get()));
    return answer;
  }

  /**
   * Performs the operation {@code backup}.
   *
   * @param request has the target, and whether the asker waits
   * @param answers receives the backup, or the job
   * @return a sentence for a person; null if there is none
   * @throws OperatorException if the target of a backup that nobody waits for is not free
   */
  public @Nullable String backup(OperatorRequest request, Answers answers) {
    Path target = Path.of(request.text("to"));
    if (request.isSet("background")) {
      requireNew(target);
      answers.add(jobs.start("backup", target.toString(), () -> Plain.map(maker.apply(target))));
    } else {
      answers.add(Plain.map(maker.apply(target)));
    }
    return null;
  }

  /** A person at a distance cannot see what a path has: nothing there is continued or replaced. */
  private static void requireNew(Path target) {
    String problem = null;
    if (!target.isAbsolute() || !target.equals(target.normalize())) {
      problem = "is not absolute, or has . or .. in it";
    } else if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
        problem = "is not a directory";
      } else {
        try (Stream<Path> entries = Files.list(target)) {
          problem = entries.findAny().isPresent() ? "is not empty" : null;
        } catch (IOException e) {
          problem = "cannot be read";
        }
      }
    }
    if (problem != null) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "No backup was started: "
              + target
              + " "
              + problem
              + ". Name a directory that is missing or empty, by its whole path.");
    }
  }
}
