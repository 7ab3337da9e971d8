package dev.holdfast.http.internal.report;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.object.ReportedUse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

/**
 * Collects reports for zones: while one batch of a zone is stored, the next one is collected, so a
 * page with many visitors costs one turn per batch instead of one per report. Thread-safe.
 */
public final class ReportIntake {

  private final InstantSource clock;
  private final BiConsumer<String, List<ReportedUse>> store;
  private final Map<String, Batch> waiting = new HashMap<>();
  private final Map<String, Rate> rates = new HashMap<>();

  /** Reports that wait for the batch before them to be stored. */
  private static final class Batch {
    final List<ReportedUse> uses = new ArrayList<>();
    final CompletableFuture<Void> stored = new CompletableFuture<>();
  }

  private record Rate(long second, int count) {}

  /**
   * Creates an intake.
   *
   * @param clock the source of the time
   * @param store stores a batch of a zone
   */
  public ReportIntake(InstantSource clock, BiConsumer<String, List<ReportedUse>> store) {
    this.clock = clock;
    this.store = store;
  }

  /**
   * Stores reports. Blocks until they are durable, or dropped.
   *
   * @param zone the zone
   * @param uses the reports
   */
  public void take(String zone, List<ReportedUse> uses) {
    Batch batch;
    boolean leads;
    synchronized (this) {
      if (!isWithinRate(zone, uses.size())) {
        return;
      }
      Batch gathering = waiting.get(zone);
      leads = gathering == null;
      batch = gathering == null ? new Batch() : gathering;
      batch.uses.addAll(uses);
      if (leads) {
        // An empty batch for threads that arrive while this one is stored. Last: if memory ran out
        // in the steps before, no thread would store for this zone again.
        waiting.put(zone, new Batch());
      }
    }
    if (leads) {
      storeAll(zone, batch);
    }
    batch.stored.join();
  }

  /** Stores a batch; a separate thread stores the reports collected meanwhile. */
  private void storeAll(String zone, Batch batch) {
    try {
      store.accept(zone, batch.uses);
      batch.stored.complete(null);
    } catch (RuntimeException | Error e) {
      // Includes Errors, which the leader of a batch receives like all others: otherwise the next
      // thread would wait for this batch forever.
      batch.stored.completeExceptionally(e);
    }
    Batch next;
    synchronized (this) {
      next = waiting.remove(zone);
      if (next == null || next.uses.isEmpty()) {
        return;
      }
      waiting.put(zone, new Batch());
    }
    startStoring(zone, next);
  }

  private void startStoring(String zone, Batch gathered) {
    try {
      Thread.ofVirtual().start(() -> storeAll(zone, gathered));
    } catch (RuntimeException | Error e) {
      Batch after;
      synchronized (this) {
        after = waiting.remove(zone);
      }
      gathered.stored.completeExceptionally(e);
      if (after != null) {
        after.stored.completeExceptionally(e);
      }
    }
  }

  private boolean isWithinRate(String zone, int uses) {
    Instant now = clock.instant();
    Rate old = rates.get(zone);
    int count = (old != null && old.second() == now.getEpochSecond() ? old.count() : 0) + uses;
    if (count > HttpBounds.REPORTS_PER_SECOND_MAX) {
      return false;
    }
    if (rates.size() >= HttpBounds.RATES_MAX) {
      rates.clear();
    }
    rates.put(zone, new Rate(now.getEpochSecond(), count));
    return true;
  }
}
