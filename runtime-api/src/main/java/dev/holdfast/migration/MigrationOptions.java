package dev.holdfast.migration;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * How the objects of a namespace are migrated. Immutable; change with the {@code with} methods.
 *
 * @param dryRun whether the migrations run and are taken back: nothing is changed, and the report
 *     says what would fail
 * @param cursor where to continue; empty for all objects
 * @param progress receives a report at least every 100 objects, on the calling thread; what it
 *     throws ends the run
 */
public record MigrationOptions(
    boolean dryRun, Optional<String> cursor, Consumer<MigrationReport> progress) {

  /** All objects are migrated, without reports on the way. */
  public static final MigrationOptions DEFAULT =
      new MigrationOptions(false, Optional.empty(), _ -> {});

  /** {@return these options, with which the migrations are only tried} */
  public MigrationOptions asDryRun() {
    return new MigrationOptions(true, cursor, progress);
  }

  /**
   * {@return these options for the objects after the objects of an earlier run}
   *
   * @param position the {@link MigrationReport#cursor} of that run
   */
  public MigrationOptions withCursor(String position) {
    return new MigrationOptions(dryRun, Optional.of(position), progress);
  }

  /**
   * {@return these options with another receiver of reports}
   *
   * @param receiver receives them
   */
  public MigrationOptions withProgress(Consumer<MigrationReport> receiver) {
    return new MigrationOptions(dryRun, cursor, receiver);
  }
}
