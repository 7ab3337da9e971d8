package dev.holdfast.runtime.internal.instance;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectId;
import dev.holdfast.runtime.internal.turn.Turn;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.PointInTimeRecovery.Purge;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Removes the history of an object, and what its files have of deleted and replaced data.
 *
 * <p>In the order in which a crash leaves nothing half done:
 *
 * <ol>
 *   <li>In one turn, the object is compacted into one batch, and a record says that its history
 *       ends there. From then on no earlier state is given out, and the next opening continues.
 *   <li>The journal lets the backend save the object, and then replaces its records up to there.
 *       The undo of that batch is in one of them.
 *   <li>In another turn, the backend removes what is left in its own files.
 *   <li>Other copies of the shard do the same.
 *   <li>A record says that all of it is done.
 * </ol>
 */
final class HistoryPurge {

  private final Instances instances;
  private final ObjectId id;
  private final ObjectKey key;

  HistoryPurge(Instances instances, ObjectId id) {
    this.instances = instances;
    this.id = id;
    this.key = new ObjectKey(instances.name(), id);
  }

  CompletableFuture<Void> begin() {
    AtomicReference<@Nullable Purge> begun = new AtomicReference<>();
    runTurn((turn, _) -> end(turn, begun));
    journal().awaitDurable(journal().lastPosition());
    return erase(Objects.requireNonNull(begun.get()));
  }

  /** Another reset, of an import or an abort, may drop the turn: it is done again. */
  private void runTurn(TurnDelivery work) {
    boolean isDone = false;
    while (!isDone) {
      try {
        OperatorTurn.run(instances, id, work);
        isDone = true;
      } catch (InstanceResetException e) {
        if (e.getCause() != null) {
          throw e; // something has failed
        }
      }
    }
  }

  /**
   * Continues a purge, here or where an earlier process has begun it. What the object has written
   * since is not part of it.
   */
  CompletableFuture<Void> erase(Purge purge) {
    return journal()
        .purge(purge.key(), purge.upTo())
        .thenRunAsync(() -> runTurn((turn, _) -> eraseRemains(turn)), instances.parts()::start)
        .thenCompose(_ -> journal().whenPurgedElsewhere(purge.key()))
        .thenRunAsync(
            () -> {
              instances.parts().recovery().purgeDone(purge);
              journal().awaitDurable(journal().lastPosition());
            },
            instances.parts()::start);
  }

  private @Nullable Object end(Turn turn, AtomicReference<@Nullable Purge> begun) {
    try {
      turn.work().confirmWrites();
      turn.storeTurn().compact();
      turn.sealOrUnwind(turn.check());
    } catch (HoldfastException e) {
      turn.storageFailed(e);
      throw e;
    }
    // In the turn: no batch of the object comes between.
    begun.set(instances.parts().recovery().purge(key));
    return null;
  }

  private @Nullable Object eraseRemains(Turn turn) {
    journal().awaitDurable(turn.output().sealedPosition());
    turn.work().eraseRemains();
    return null;
  }

  private Journal journal() {
    return instances.parts().journal();
  }
}
