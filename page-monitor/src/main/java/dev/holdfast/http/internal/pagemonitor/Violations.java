package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.report.MonitorBounds;
import dev.holdfast.http.internal.store.Selection;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.PolicyViolation;
import dev.holdfast.http.monitor.object.ReportedUse;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;

/** The violations of a zone's policies, counted. */
final class Violations {

  private final ZoneStore store;
  private final VisitorWrites writes;

  Violations(ZoneStore store, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
  }

  void record(String policyId, ReportedUse use) {
    String kind = use.isScript() ? Detections.SCRIPT : Detections.CONNECTION;
    PolicyViolation known =
        store.find(
            "SELECT * FROM violation WHERE policy_id = ? AND url = ? AND page_host = ?"
                + " AND resource_type = ?",
            PolicyViolation.class,
            policyId,
            use.url(),
            use.pageHost(),
            kind);
    boolean isNew = known == null;
    if (isNew
        && store.count("SELECT count(*) AS n FROM violation WHERE policy_id = ?", policyId)
            >= MonitorBounds.VIOLATIONS_KEPT_MAX) {
      return;
    }
    int characters = use.pageUrl().length() + (isNew ? use.url().length() : 0);
    if (writes.mayWrite(Purpose.VIOLATION, isNew, characters)) {
      store.put(
          "violation",
          "policy_id, url, page_host, resource_type",
          new PolicyViolation(
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

  Found<PolicyViolation> list(String policyId, PageRange page) {
    return store.page(
        "violation",
        new Selection("policy_id = ?", policyId),
        "count DESC, url, page_host",
        page,
        PolicyViolation.class);
  }
}
