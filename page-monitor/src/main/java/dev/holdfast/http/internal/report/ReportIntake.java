package dev.holdfast.http.internal.report;

import dev.holdfast.http.address.NetworkAddress;
import dev.holdfast.http.monitor.object.ReportedUse;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects reports for zones: while one batch of a zone is stored, the next one is collected, so a
 * page with many visitors costs one turn per batch instead of one per report. Thread-safe.
 */
public final class ReportIntake {

  private static final int ADDRESS_LENGTH_MAX = 64;

  private final InstantSource clock;
  private final BiConsumer<String, List<ReportedUse>> store;
  private final Map<String, Batch> waiting = new HashMap<>();
  private final Map<String, Rate> rates = new HashMap<>();

  /** Reports that wait for the batch before them to be stored. */
  private static final class Batch {
    final List<ReportedUse> uses = new ArrayList<>();
    final CompletableFuture<Void> stored = new CompletableFuture<>();
  }

  /** The reports of a zone in one second: all, and those of each source. */
  private static final class Rate {
    final long second;
    final Map<String, Integer> bySource = new HashMap<>();
    int count;

    Rate(long second) {
      this.second = second;
    }

    /** Returns how many of the reports of one body are taken. */
    int mayTake(String source, int reports) {
      int own = bySource.getOrDefault(source, 0);
      int wanted =
          own + reports <= MonitorBounds.REPORTS_OF_SOURCE_PER_SECOND_MAX
              ? reports
              : own < MonitorBounds.SHORT_REPORTS_OF_SOURCE_PER_SECOND_MAX ? 1 : 0;
      return Math.max(0, Math.min(wanted, MonitorBounds.REPORTS_PER_SECOND_MAX - count));
    }
  }

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
   * @param source the network of the client
   * @param uses the reports
   */
  public void take(String zone, String source, List<ReportedUse> uses) {
    Batch batch;
    boolean leads;
    synchronized (this) {
      List<ReportedUse> taken = withinRate(zone, source, uses);
      if (taken.isEmpty()) {
        return;
      }
      Batch gathering = waiting.get(zone);
      leads = gathering == null;
      batch = gathering == null ? new Batch() : gathering;
      batch.uses.addAll(taken);
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

  /**
   * {@return whether no report of a source would be taken now, so that a flood is not even read}
   *
   * @param zone the zone
   * @param source the network of the client
   */
  public synchronized boolean isSpent(String zone, String source) {
    Rate rate = rates.get(zone);
    return rate != null
        && rate.second == clock.instant().getEpochSecond()
        && rate.mayTake(source, 1) == 0;
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

  /**
   * Returns the reports that are taken. A source that sends many has only the first of each body
   * taken, and never uses up what a zone accepts: the report of a browser has few.
   */
  private List<ReportedUse> withinRate(String zone, String source, List<ReportedUse> uses) {
    long second = clock.instant().getEpochSecond();
    Rate rate = rates.get(zone);
    if (rate == null || rate.second != second) {
      if (rates.size() >= MonitorBounds.RATES_MAX) {
        rates.clear();
      }
      rate = new Rate(second);
      rates.put(zone, rate);
    }
    int taken = rate.mayTake(source, uses.size());
    if (taken > 0) {
      rate.count += taken;
      rate.bySource.merge(source, taken, Integer::sum);
    }
    return uses.subList(0, taken);
  }

  /**
   * {@return the network of a client: its address, or the first half of one of version 6, of which
   * everyone has many}
   *
   * @param client an IP address; another text is a network of its own
   */
  public static String source(String client) {
    String text = client.substring(0, Math.min(client.length(), ADDRESS_LENGTH_MAX));
    @Nullable String address = NetworkAddress.canonical(text);
    if (address == null || address.indexOf(':') < 0) {
      return address == null ? text : address;
    }
    return HexFormat.of().formatHex(InetAddress.ofLiteral(address).getAddress(), 0, 8);
  }
}
