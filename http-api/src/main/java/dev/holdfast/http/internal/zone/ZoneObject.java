package dev.holdfast.http.internal.zone;

import dev.holdfast.ObjectContext;
import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.call.Zone;
import dev.holdfast.http.call.ZoneCall;
import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.firewallzone.FirewallObject;
import dev.holdfast.http.internal.pagemonitor.MonitorObject;
import dev.holdfast.http.internal.reply.ApiException;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.RefusedException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.node.NullNode;

/**
 * A zone: a page monitor and a firewall on one storage. An operation that is refused midway has
 * written nothing, because the refusal rolls back its writes. After a defect, the state in memory
 * cannot be trusted either: then the instance is reset.
 */
public final class ZoneObject extends MonitorObject implements Zone {

  private final ObjectContext context;
  private final ZoneStore store;
  private final FirewallObject firewall;
  private final Map<String, Function<Call, ZoneReply>> operations = new HashMap<>();

  /**
   * Starts the object.
   *
   * @param context its context
   * @param store its store
   * @param feed the source of malicious hosts and URLs
   */
  public ZoneObject(ObjectContext context, ZoneStore store, ReputationFeed feed) {
    this(context, store, feed, new Expressions(store));
  }

  private ZoneObject(
      ObjectContext context, ZoneStore store, ReputationFeed feed, Expressions expressions) {
    super(context, store, expressions, feed);
    this.context = context;
    this.store = store;
    firewall = new FirewallObject(store, expressions);
    new MonitorRequests(this).addTo(operations);
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
      sweepIfDue();
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
  public ZoneFirewall firewall() {
    return firewall.firewall();
  }

  /** Undoes what a dry run has written. */
  private static final class DryRunException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    DryRunException(ZoneReply undone) {
      super("a dry run of what is answered with " + undone.status(), null, false, false);
    }
  }
}
