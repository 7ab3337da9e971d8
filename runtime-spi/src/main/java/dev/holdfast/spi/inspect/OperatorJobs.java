package dev.holdfast.spi.inspect;

import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Work on a runtime that takes longer than an operator waits: backups, and purges of the archive.
 * Knows the last job of each kind until the runtime is closed. Thread-safe.
 */
public final class OperatorJobs {

  private final InstantSource clock;
  private final Map<String, Job> last = new LinkedHashMap<>();

  /**
   * Creates an empty list.
   *
   * @param clock the time of the runtime
   */
  public OperatorJobs(InstantSource clock) {
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

  /**
   * Starts a job.
   *
   * @param kind what it does; one of a kind runs at a time
   * @param subject to what; empty for the runtime as a whole
   * @param work does it, and returns what it has made
   * @return the job, as {@link #list} shows it
   * @throws IllegalStateException if one of its kind runs
   */
  public Map<String, @Nullable Object> start(
      String kind, String subject, Callable<Map<String, @Nullable Object>> work) {
    Job job = new Job(kind, subject, "running", clock.instant(), null, null, null);
    synchronized (last) {
      Job before = last.get(kind);
      if (before != null && before.ended() == null) {
        throw new IllegalStateException(
            "The "
                + kind
                + " that began at "
                + before.began()
                + " still runs; wait for its end, which inspect jobs shows.");
      }
      last.put(kind, job);
    }
    Thread.ofVirtual().name("holdfast-job-" + kind).start(() -> run(job, work));
    return job.members();
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

  /** {@return the last job of each kind: its kind, subject, state, times, and result or error} */
  public List<Map<String, @Nullable Object>> list() {
    synchronized (last) {
      return last.values().stream().map(Job::members).toList();
    }
  }
}
