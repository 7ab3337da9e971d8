package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.store.Expressions;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.MonitorPolicy;
import dev.holdfast.http.monitor.object.PolicyChange;
import dev.holdfast.http.monitor.object.ZoneMonitor.StoredPolicy;
import dev.holdfast.http.object.RefusalDetail;
import dev.holdfast.http.object.RefusedException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The content security policies of a zone. */
final class Policies {

  private static final Set<String> ACTIONS = Set.of("allow", "log", "add_reporting_directives");

  private final ZoneStore store;
  private final Expressions expressions;
  private final Violations violations;

  Policies(ZoneStore store, Expressions expressions, Violations violations) {
    this.store = store;
    this.expressions = expressions;
    this.violations = violations;
  }

  /** {@return the enabled policies, in the order of their creation} */
  List<StoredPolicy> enabled() {
    return store.list("SELECT * FROM policy WHERE enabled ORDER BY seq", StoredPolicy.class);
  }

  List<MonitorPolicy> list() {
    return store.list("SELECT * FROM policy ORDER BY seq", MonitorPolicy.class);
  }

  MonitorPolicy create(MonitorPolicy draft) {
    MonitorPolicy policy = draft.withId(store.newId());
    check(policy.action(), policy.expression(), policy.value());
    int max = store.profile().policiesMax();
    if (store.count("SELECT count(*) AS n FROM policy") >= max) {
      throw new RefusedException(
          new RefusalDetail(
              10103,
              "1 validation errors: exceeded the maximum number of rules in the phase"
                  + " http_response_page_shield: %d out of %d".formatted(max + 1, max)));
    }
    return put(policy);
  }

  MonitorPolicy change(String id, PolicyChange change) {
    MonitorPolicy changed = change.of(find(id));
    check(changed.action(), change.expression(), change.value());
    return put(changed);
  }

  private MonitorPolicy put(MonitorPolicy policy) {
    store.put("policy", "id", policy);
    return policy;
  }

  void delete(String id) {
    find(id);
    store.exec("DELETE FROM policy WHERE id = ?", id);
    violations.forget(id);
  }

  boolean exists(String id) {
    return store.exec("SELECT 1 FROM policy WHERE id = ?", id).hasNext();
  }

  MonitorPolicy find(String id) {
    String query = "SELECT * FROM policy WHERE id = ?";
    return store.get("Could not find Policy", query, MonitorPolicy.class, id);
  }

  private void check(String action, @Nullable String expression, @Nullable String value) {
    if (!ACTIONS.contains(action)) {
      throw RefusedException.invalidJson("unknown variant for action: " + action, "/action");
    }
    if (expression != null) {
      expressions.check(expression, true, "", 10101, "/expression");
    }
    String mistake = value == null ? null : PolicyValue.mistake(value);
    if (mistake != null) {
      throw RefusedException.wrong(10105, mistake, "/value");
    }
  }
}
