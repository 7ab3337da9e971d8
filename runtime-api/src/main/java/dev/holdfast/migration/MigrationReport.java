package dev.holdfast.migration;

import java.util.List;
import java.util.Optional;

/**
 * What a run of migrations has done so far. Immutable.
 *
 * @param migrated how many objects have run at least one step, or would have in a dry run
 * @param current how many objects had run all steps before
 * @param failed how many objects could not be migrated; they are as they were before their step
 *     that failed
 * @param failures the first 1,000 of those
 * @param cursor where to continue; empty if all objects were visited. What the report counts is
 *     durable
 */
public record MigrationReport(
    long migrated, long current, long failed, List<Failure> failures, Optional<String> cursor) {

  /** Maximum number of failures in one report. */
  public static final int FAILURES_MAX = 1_000;

  /** Copies the failures. */
  public MigrationReport {
    failures = List.copyOf(failures);
  }

  /**
   * An object that could not be migrated.
   *
   * @param id its id, 64 hexadecimal digits
   * @param name its name; empty if it is not known
   * @param message the step, the statement and the reason
   */
  public record Failure(String id, Optional<String> name, String message) {}
}
