package dev.holdfast.runtime;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthOptions;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.runtime.internal.Delays;
import dev.holdfast.runtime.internal.instance.Lifecycle;
import dev.holdfast.runtime.internal.instance.Sweeper;
import dev.holdfast.runtime.internal.turn.EngineParts;
import dev.holdfast.spi.AlarmService;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.statistics.ExecutionStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a runtime works. Asks the file system at most once a second; all else is in
 * memory. A disk that hangs holds up one thread: the others get its last answer, and while the
 * journal is stalled no thread asks. Thread-safe.
 */
final class HealthCheck {

  private static final long DISK_ANSWER_NANOS = Duration.ofSeconds(1).toNanos();

  private final EngineParts parts;
  private final HealthOptions options;
  private final Lifecycle lifecycle;
  private final Sweeper sweeper;
  private final Place place;

  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile @Nullable DiskAnswer answer;

  /**
   * What the file system has said.
   *
   * @param nanos when
   * @param reasons what is wrong
   */
  private record DiskAnswer(long nanos, List<HealthReason> reasons) {}

  HealthCheck(
      EngineParts parts,
      RuntimeOptions options,
      Lifecycle lifecycle,
      Sweeper sweeper,
      Place place) {
    this.parts = parts;
    this.options = options.health();
    this.lifecycle = lifecycle;
    this.sweeper = sweeper;
    this.place = place;
  }

  Health health() {
    List<HealthReason> reasons =
        switch (lifecycle.state()) {
          case OPEN, STALLED -> ofOpen();
          case FAILED -> List.of(ofFailed(lifecycle.failure()));
          case OPENING, CLOSING, CLOSED ->
              List.of(down(HealthReason.RUNTIME_CLOSED, "The runtime is not open."));
        };
    return Health.of(reasons);
  }

  private static HealthReason ofFailed(Lifecycle.@Nullable Failure failure) {
    boolean isJournal = failure == null || failure.event() != LogEvent.ENGINE_FAILED;
    return down(
        isJournal ? HealthReason.JOURNAL_FAILED : HealthReason.ENGINE_FAILED,
        failure == null ? "The journal has failed." : failure.report());
  }

  private List<HealthReason> ofOpen() {
    List<HealthReason> reasons = new ArrayList<>();
    long stalledNanos = sweeper.journalStalledNanos();
    boolean isStalled = stalledNanos >= Delays.nanosOf(options.journalStalledMax());
    if (isStalled) {
      reasons.add(
          down(
              HealthReason.JOURNAL_STALLED,
              "The journal has made nothing durable for "
                  + seconds(stalledNanos)
                  + " s; replies wait for the disk. Check the disk."));
    }
    reasons.addAll(ofDisk(isStalled));
    addAlarms(reasons);
    addAbandoned(reasons);
    addExecutions(reasons);
    addSaves(reasons);
    addRefused(reasons);
    reasons.addAll(parts.journal().troubles());
    reasons.addAll(parts.archive().troubles());
    addConsumers(reasons);
    return reasons;
  }

  private void addConsumers(List<HealthReason> reasons) {
    List<String> names = parts.outbox().cutOff();
    if (!names.isEmpty()) {
      reasons.add(
          degraded(
              HealthReason.CONSUMER_CUT_OFF,
              "Events that these consumers have not handled are no longer kept: "
                  + String.join(", ", names)
                  + ". Reset each with ObjectAdmin.resetConsumer, and rebuild what it has made of"
                  + " the events."));
    }
  }

  private void addAlarms(List<HealthReason> reasons) {
    AlarmService alarms = parts.alarms();
    long lateMillis = alarms == null ? 0 : alarms.lateMillis(parts.time().wallMillis());
    if (lateMillis > options.alarmsLateMax().toMillis()) {
      reasons.add(
          degraded(
              HealthReason.ALARMS_LATE,
              "An alarm has been due for "
                  + lateMillis / 1_000
                  + " s and was not started: handlers are slow, or more alarms are due than the"
                  + " options of alarms let start."));
    }
  }

  private void addAbandoned(List<HealthReason> reasons) {
    AlarmService alarms = parts.alarms();
    SortedMap<String, Long> abandoned =
        alarms == null ? Collections.emptySortedMap() : alarms.abandoned();
    if (!abandoned.isEmpty()) {
      reasons.add(
          degraded(
              HealthReason.ALARMS_ABANDONED,
              "Alarms were given up after their last retry, by namespace: "
                  + abandoned
                  + ". ObjectNamespace.alarms() lists them, and so does ./holdfast inspect alarms;"
                  + " the log says why each has failed. Repair the cause, then arm each again or"
                  + " discard it: NamespaceAlarms.rearm and discard, or inspect rearm and"
                  + " discard."));
    }
  }

  private void addExecutions(List<HealthReason> reasons) {
    List<ExecutionStatus> found = sweeper.longerThan(options.executionMax());
    if (!found.isEmpty()) {
      ExecutionStatus oldest = found.getFirst();
      reasons.add(
          degraded(
              HealthReason.EXECUTION_LONG,
              found.size()
                  + (found.size() == 1 ? " execution has" : " executions have")
                  + " run for more than "
                  + options.executionMax().toSeconds()
                  + " s. The oldest, for "
                  + oldest.age().toSeconds()
                  + " s, is "
                  + text(oldest)
                  + ". ObjectAdmin.executions lists them, and so does ./holdfast inspect executions"
                  + " --stack; ObjectAdmin.reset ends one that waits."));
    }
  }

  private static String text(ExecutionStatus execution) {
    return execution.kind().name().toLowerCase(Locale.ROOT)
        + (execution.method().isEmpty() ? "" : " " + execution.method())
        + " of "
        + execution.namespace()
        + "/"
        + execution.id()
        + execution.name().map(name -> " \"" + name + "\"").orElse("")
        + ", which "
        + execution.activity().name().toLowerCase(Locale.ROOT).replace('_', ' ')
        + execution.called().map(called -> " of " + called).orElse("");
  }

  private void addSaves(List<HealthReason> reasons) {
    long lateNanos = sweeper.saveLateNanos();
    if (lateNanos > Delays.nanosOf(options.saveLateMax())) {
      reasons.add(
          degraded(
              HealthReason.SAVE_LATE,
              "The save of an object's file has been requested for "
                  + seconds(lateNanos)
                  + " s; the journal grows meanwhile. Check the disk."));
    }
  }

  private void addRefused(List<HealthReason> reasons) {
    long refused =
        parts.backends().values().stream().mapToLong(StorageBackend::refusedObjects).sum();
    if (refused > 0) {
      reasons.add(
          degraded(
              HealthReason.OBJECTS_REFUSED,
              refused
                  + " objects are refused, because their storage has failed. The log names them."
                  + " Repair the cause, close the runtime and open it again."));
    }
  }

  private List<HealthReason> ofDisk(boolean isStalled) {
    if (place.data() == null) {
      return List.of();
    }
    long now = parts.time().monotonicNanos();
    DiskAnswer known = answer;
    boolean isFresh = known != null && now - known.nanos() < DISK_ANSWER_NANOS;
    if (!isFresh && !isStalled && asking.compareAndSet(false, true)) {
      try {
        known = new DiskAnswer(now, askDisk(place.data()));
        answer = known;
      } finally {
        asking.set(false);
      }
    }
    return known == null ? List.of() : known.reasons();
  }

  private List<HealthReason> askDisk(Place.Data data) {
    List<HealthReason> reasons = new ArrayList<>();
    try {
      if (!data.disk().isWritable(data.directory())) {
        reasons.add(notWritable(data, "is missing, read-only, or not this user's"));
      }
      long usable = data.disk().usableBytes(data.directory());
      long total = data.disk().totalBytes(data.directory());
      if (usable < options.diskFreeBytesMin() || usable < options.diskFreeShareMin() * total) {
        reasons.add(
            degraded(
                HealthReason.DISK_NEARLY_FULL,
                "The disk of "
                    + data.directory()
                    + " has "
                    + usable
                    + " of "
                    + total
                    + " bytes left. Make room; a full disk refuses writes."));
      }
    } catch (IOException e) {
      reasons.add(notWritable(data, "cannot be read: " + e.getMessage()));
    }
    return reasons;
  }

  private static HealthReason notWritable(Place.Data data, String why) {
    return degraded(
        HealthReason.DIRECTORY_NOT_WRITABLE,
        "The directory "
            + data.directory()
            + " "
            + why
            + ". No file can be created: writes are refused once the open journal segment is"
            + " full.");
  }

  private static long seconds(long nanos) {
    return Duration.ofNanos(nanos).toSeconds();
  }

  private static HealthReason down(String code, String text) {
    return new HealthReason(code, HealthState.DOWN, text);
  }

  private static HealthReason degraded(String code, String text) {
    return new HealthReason(code, HealthState.DEGRADED, text);
  }
}
