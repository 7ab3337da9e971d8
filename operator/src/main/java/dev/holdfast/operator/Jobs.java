package dev.holdfast.operator;

import dev.holdfast.operator.OperatorException.Reason;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Work that takes longer than anybody waits: backups, and purges of the archive. Knows the last job
 * of each kind until the process ends. Thread-safe.
 */
final class Jobs {

  private final InstantSource clock;
  private final Map<String, Job> last = new LinkedHashMap<>();

  Jobs(InstantSource clock) {
    this.clock = clock;
  }

  /** The state of a job. */
  private record Job(
      String kind,
      String subject,
      String state,
      Instant began,
      @Nullable Instant ended,
      @Nullable Map<String, @Nullable Object> result,
      @Nullable String error) {

    Map<String, @Nullable Object> members() {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      members.put("kind", kind);
      members.put("subject", subject);
      members.put("state", state);
      members.put("began", began.toString());
      members.put("ended", ended == null ? null : ended.toString());
      members.put("result", result);
      members.put("error", error);
      return members;
    }
  }

  /** Starts a job, unless one of its kind runs. */
  void start(
      String kind, String subject, Callable<Map<String, @Nullable Object>> work, Answers answers) {
    Job job = new Job(kind, subject, "running", clock.instant(), null, null, null);
    synchronized (last) {
      Job before = last.get(kind);
      if (before != null && before.ended() == null) {
        throw new OperatorException(
            Reason.FAILED,
            "The "
                + kind
                + " that began at "
                + before.began()
                + " still runs; wait for its end, which inspect jobs shows.");
      }
      last.put(kind, job);
    }
    Thread.ofVirtual().name("holdfast-job-" + kind).start(() -> run(job, work));
    answers.add(job.members());
  }

  private void run(Job job, Callable<Map<String, @Nullable Object>> work) {
    Map<String, @Nullable Object> result = null;
    String error = null;
    try {
      result = work.call();
    } catch (ExecutionException e) {
      error = text(e.getCause() == null ? e : e.getCause());
    } catch (Exception e) { // whatever it is, the operator reads it
      error = text(e);
    } finally {
      String state = result == null ? "failed" : "done";
      synchronized (last) {
        last.put(
            job.kind(),
            new Job(job.kind(), job.subject(), state, job.began(), clock.instant(), result, error));
      }
    }
  }

  private static String text(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  @Nullable String list(Answers answers) {
    synchronized (last) {
      last.values().forEach(each -> answers.add(each.members()));
    }
    return null;
  }
}
