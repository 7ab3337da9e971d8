package dev.holdfast.http.internal.zone;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.firewall.FirewallTable;
import dev.holdfast.http.internal.migration.RuleMigration;
import dev.holdfast.http.internal.pagemonitor.PageMonitor;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.ruleset.Rulesets;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.SeenCookie;
import dev.holdfast.http.object.Zone;
import dev.holdfast.http.object.ZoneCall;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneFirewall;
import dev.holdfast.http.object.ZoneFirewall.StoredRuleset;
import dev.holdfast.http.object.ZoneMonitor;
import dev.holdfast.http.object.ZoneProfile;
import dev.holdfast.http.object.ZoneReply;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.NullNode;

/**
 * A zone. An operation that is refused midway has written nothing, because the refusal rolls back
 * its writes. After a defect, the state in memory cannot be trusted either: then the instance is
 * reset.
 */
public final class ZoneObject implements Zone, AlarmHandler {

  private final ObjectContext context;
  private final ZoneStore store;
  private final RuleMigration migration;
  private final PageMonitor monitor;
  private final FirewallTable firewall;
  private final Rulesets rulesets;
  private final ZoneChanges changes;
  private final String name;
  private final Map<String, Function<Call, ZoneReply>> operations = new HashMap<>();

  /**
   * Starts the object.
   *
   * @param context its context
   * @param clock the source of the time
   * @param random generates identifiers
   * @param feed the source of malicious hosts and URLs
   * @param changes counts the changes
   */
  public ZoneObject(
      ObjectContext context,
      InstantSource clock,
      RandomGenerator random,
      ReputationFeed feed,
      ZoneChanges changes) {
    this.context = context;
    this.changes = changes;
    this.name = context.id().name().orElse("");
    this.store = new ZoneStore(context, clock, random);
    Expressions expressions = new Expressions(store);
    monitor = new PageMonitor(store, expressions, feed);
    monitor.addTo(operations);
    firewall = new FirewallTable(store, expressions);
    firewall.addTo(operations);
    migration = new RuleMigration(store, firewall, expressions);
    migration.addTo(operations);
    rulesets = new Rulesets(store, expressions, migration);
    rulesets.addTo(operations);
    // A new instance can have the state of another time: after a restore, for example.
    changed();
  }

  /** Ensures that decisions after this turn are made with what it leaves. */
  private void changed() {
    changes.add(name);
  }

  @Override
  public ZoneReply handle(ZoneCall call) {
    Endpoint endpoint = Endpoint.of(call.endpoint());
    Function<Call, ZoneReply> operation = operations.get(call.endpoint());
    if (operation == null) {
      throw new IllegalArgumentException("a zone has no operation " + call.endpoint());
    }
    try {
      monitor.sweepIfDue();
      Call read = new Call(call);
      if (endpoint.method().equals("GET")) {
        return operation.apply(read);
      }
      return change(
          () -> {
            ZoneReply reply = operation.apply(read);
            if (endpoint.hasDryRun() && read.query().flag("dry_run", false)) {
              throw new DryRunException();
            }
            return reply;
          });
    } catch (ApiException refused) {
      return Envelope.failure(refused);
    } catch (DryRunException tried) {
      return Envelope.ok(NullNode.instance);
    } catch (RuntimeException | Error defect) {
      System.getLogger("dev.holdfast.http")
          .log(System.Logger.Level.ERROR, "operation " + call.endpoint() + " failed", defect);
      throw context.abort("operation " + call.endpoint() + " failed: " + defect);
    }
  }

  /** {@return the number of changes so far} */
  private long version() {
    return store.count("SELECT coalesce(max(version), 0) AS n FROM configuration");
  }

  /** Runs a write and counts it, also in the transaction of the write. */
  private <T> T change(Supplier<T> write) {
    try {
      return context
          .storage()
          .transactionSync(
              () -> {
                T written = write.get();
                long version = version() + 1;
                store.exec("DELETE FROM configuration");
                store.exec("INSERT INTO configuration (version) VALUES (?)", version);
                return written;
              });
    } finally {
      changed();
    }
  }

  @Override
  public void configure(ZoneProfile profile) {
    change(
        () -> {
          store.configure(profile);
          return profile;
        });
  }

  @Override
  public ZoneFirewall firewall() {
    List<StoredRuleset> all = new ArrayList<>(rulesets.latest());
    migration.previousRules().ifPresent(all::add);
    return new ZoneFirewall(store.profile().id(), version(), firewall.active(), all);
  }

  @Override
  public ZoneMonitor monitor() {
    return monitor.stored();
  }

  @Override
  public void cookies(List<SeenCookie> seen) {
    monitor.sweepIfDue();
    monitor.recordCookies(seen);
    setAlarm();
  }

  @Override
  public List<String> report(List<ReportedUse> uses) {
    monitor.sweepIfDue();
    List<String> scripts = monitor.report(uses);
    setAlarm();
    return scripts;
  }

  @Override
  public void alarm(AlarmInfo alarm) {
    monitor.sweepIfDue();
    // If the host's clock is behind that of the runtime, nothing is due yet, and the same alarm
    // would fire again at once, forever: then the next report sets it.
    if (monitor.nextDue().isAfter(alarm.scheduledTime())) {
      setAlarm();
    }
  }

  /** Ensures that an alarm fires when something is due, or earlier. */
  private void setAlarm() {
    Instant due = monitor.nextDue();
    if (due.equals(Instant.MAX) || due.equals(Instant.MIN)) {
      return;
    }
    // An alarm's time is truncated to milliseconds: then it would fire slightly early.
    Instant time = due.plusMillis(1);
    boolean needed = context.storage().getAlarm().map(set -> set.isAfter(time)).orElse(true);
    if (needed) {
      context.storage().setAlarm(time);
    }
  }

  @Override
  public @Nullable String scriptUrl(String scriptId) {
    return monitor.scriptUrl(scriptId);
  }

  @Override
  public void judged(String scriptId, String hash, ScriptScores scores) {
    monitor.judged(scriptId, hash, scores);
  }

  @Override
  public @Nullable ZoneProfile profile() {
    return store.profileIfAny();
  }

  /** Ends a dry run: what it has written is rolled back. */
  private static final class DryRunException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DryRunException() {
      super("a dry run", null, false, false);
    }
  }
}
