package dev.holdfast.http.internal.zone;

import dev.holdfast.ObjectContext;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.call.ZoneCall;
import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.firewallzone.FirewallObject;
import dev.holdfast.http.internal.pagemonitor.MonitorObject;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.ReportedUse;
import dev.holdfast.http.monitor.object.SeenCookie;
import dev.holdfast.http.monitor.object.ZoneMonitor;
import dev.holdfast.http.object.RefusedException;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneProfile;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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
  private final MonitorObject monitor;
  private final FirewallObject firewall;
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
    this.store = new ZoneStore(context, clock, random, changes);
    Expressions expressions = new Expressions(store);
    monitor = new MonitorObject(context, store, expressions, feed);
    firewall = new FirewallObject(store, expressions);
    new MonitorRequests(monitor).addTo(operations);
    new FirewallRequests(firewall).addTo(operations);
    new RulesetRequests(firewall).addTo(operations);
    new PreviousRequests(firewall).addTo(operations);
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
      return endpoint.hasDryRun()
          ? store.change(() -> changeOrTry(operation, read))
          : operation.apply(read);
    } catch (RefusedException refused) {
      return Envelope.failure(ApiException.of(refused));
    } catch (DryRunException tried) {
      return Envelope.ok(NullNode.instance);
    } catch (RuntimeException | Error defect) {
      System.getLogger("dev.holdfast.http")
          .log(System.Logger.Level.ERROR, "operation " + call.endpoint() + " failed", defect);
      throw context.abort("operation " + call.endpoint() + " failed: " + defect);
    }
  }

  private static ZoneReply changeOrTry(Function<Call, ZoneReply> operation, Call call) {
    ZoneReply reply = operation.apply(call);
    if (call.query().flag("dry_run", false)) {
      throw new DryRunException(reply);
    }
    return reply;
  }

  @Override
  public void configure(ZoneProfile profile) {
    firewall.configure(profile);
  }

  @Override
  public @Nullable ZoneProfile profile() {
    return firewall.profile();
  }

  @Override
  public ZoneFirewall firewall() {
    return firewall.firewall();
  }

  @Override
  public ZoneMonitor monitor() {
    return monitor.monitor();
  }

  @Override
  public void cookies(List<SeenCookie> seen) {
    monitor.cookies(seen);
  }

  @Override
  public List<String> report(List<ReportedUse> uses) {
    return monitor.report(uses);
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
  public void alarm(AlarmInfo alarm) {
    monitor.alarm(alarm);
  }

  /** Undoes what a dry run has written. */
  private static final class DryRunException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DryRunException(ZoneReply undone) {
      super("a dry run of what is answered with " + undone.status(), null, false, false);
    }
  }
}
