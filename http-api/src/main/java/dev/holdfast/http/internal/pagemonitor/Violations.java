package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.ZoneReply;
import tools.jackson.databind.node.ObjectNode;

/** The violations of a zone's policies, counted. */
final class Violations {

  private final ZoneStore store;
  private final VisitorWrites writes;

  private record Violation(
      String policyId,
      String url,
      String pageHost,
      String resourceType,
      String pageUrl,
      String action,
      long count,
      String lastSeenAt) {

    ObjectNode toJson() {
      ObjectNode tree = Json.tree(this);
      tree.set("host", tree.remove("page_host"));
      return tree.without("policy_id");
    }
  }

  Violations(ZoneStore store, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
  }

  void record(String policyId, ReportedUse use) {
    String kind = use.isScript() ? Detections.SCRIPT : Detections.CONNECTION;
    Violation known =
        store.find(
            "SELECT * FROM violation WHERE policy_id = ? AND url = ? AND page_host = ?"
                + " AND resource_type = ?",
            Violation.class,
            policyId,
            use.url(),
            use.pageHost(),
            kind);
    boolean isNew = known == null;
    if (isNew
        && store.count("SELECT count(*) AS n FROM violation WHERE policy_id = ?", policyId)
            >= HttpBounds.VIOLATIONS_KEPT_MAX) {
      return;
    }
    int characters = use.pageUrl().length() + (isNew ? use.url().length() : 0);
    if (writes.mayWrite(Purpose.VIOLATION, isNew, characters)) {
      store.put(
          "violation",
          "policy_id, url, page_host, resource_type",
          new Violation(
              policyId,
              use.url(),
              use.pageHost(),
              kind,
              use.pageUrl(),
              use.blocked() ? "allow" : "log",
              known == null ? 1 : known.count() + 1,
              use.seenAt().toString()));
    }
  }

  void forget(String policyId) {
    store.exec("DELETE FROM violation WHERE policy_id = ?", policyId);
  }

  ZoneReply list(Call call) {
    return store.page(
        "violation",
        new Selection("policy_id = ?", call.id()),
        "count DESC, url, page_host",
        call.query().page(1, 15),
        Violation.class,
        Violation::toJson);
  }
}
