package dev.holdfast.runtime.internal.instance;

import dev.holdfast.ObjectException;
import dev.holdfast.ObjectId;
import dev.holdfast.SqlException;
import dev.holdfast.migration.MigrationOptions;
import dev.holdfast.migration.MigrationReport;
import dev.holdfast.migration.MigrationReport.Failure;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.instance.TurnDelivery.Target;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.ObjectQuery;
import dev.holdfast.spi.StoreTurn.MigrationPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Migrates the objects of a namespace one after the other, each in a turn that runs no code of it.
 * One sync serves a page of objects. Confined to the calling thread.
 */
final class MigrationRun {

  private final Instances instances;
  private final MigrationOptions options;
  private final List<Failure> failures = new ArrayList<>();
  private long migrated;
  private long current;
  private long failed;

  MigrationRun(Instances instances, MigrationOptions options) {
    this.instances = instances;
    this.options = options;
  }

  MigrationReport run() {
    ObjectId last = options.cursor().map(ListCursor::parse).orElse(null);
    List<ObjectId> page;
    do {
      page =
          instances
              .backend()
              .catalog()
              .objects(
                  new ObjectQuery(
                      instances.name(), null, last, RuntimeBounds.MIGRATED_WITH_ONE_SYNC));
      for (ObjectId id : page) {
        migrate(id);
        last = id;
        if (Thread.currentThread().isInterrupted()) {
          return reported(last);
        }
      }
      if (!page.isEmpty()) {
        options.progress().accept(reported(last));
      }
    } while (page.size() == RuntimeBounds.MIGRATED_WITH_ONE_SYNC);
    return reported(null);
  }

  /** What is reported survives a crash, so that a later run may begin after it. */
  private MigrationReport reported(@Nullable ObjectId last) {
    instances.parts().journal().awaitDurable(instances.parts().journal().lastPosition());
    return new MigrationReport(
        migrated, current, failed, failures, Optional.ofNullable(last).map(ListCursor::after));
  }

  private void migrate(ObjectId id) {
    try {
      if (isMigratedNow(id)) {
        migrated++;
      } else {
        current++;
      }
    } catch (ObjectException e) {
      failed++;
      if (failures.size() < MigrationReport.FAILURES_MAX) {
        failures.add(new Failure(id.toString(), id.name(), String.valueOf(e.getMessage())));
      }
    }
  }

  private boolean isMigratedNow(ObjectId id) {
    return Boolean.TRUE.equals(OperatorTurn.run(instances, id, this::inTurn));
  }

  private Boolean inTurn(Turn turn, Target target) {
    MigrationPlan plan = instances.migrations(turn);
    if (plan.steps().isEmpty()) {
      return false;
    }
    try {
      boolean isDue = turn.storeTurn().migrationsRun().size() < plan.steps().size();
      if (options.dryRun()) {
        turn.storeTurn().tryMigrations(plan);
        turn.work().takeBack();
      } else {
        turn.work().confirmWrites();
        while (turn.storeTurn().migrate(plan)) {
          turn.sealOrUnwind(turn.check());
        }
        if (isDue) {
          target.dropCache();
        }
      }
      return isDue;
    } catch (SqlException e) {
      turn.work().takeBack();
      throw e;
    } catch (RuntimeException | Error e) {
      // A part of it may be in the turn, which must not be sealed.
      turn.storageFailed(e);
      throw e;
    }
  }
}
