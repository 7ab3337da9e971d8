package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.HttpBounds;
import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.pagemonitor.VisitorWrites.Purpose;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.reply.Page;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ReportedUse;
import dev.holdfast.http.object.ZoneReply;
import tools.jackson.databind.node.ArrayNode;

/** The violations of a zone's policies, counted. */
final class Violations {

  private final ZoneStore store;
  private final VisitorWrites writes;

  Violations(ZoneStore store, VisitorWrites writes) {
    this.store = store;
    this.writes = writes;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS violation (
          policy_id TEXT, url TEXT, page_host TEXT, resource_type TEXT, page_url TEXT NOT NULL,
          action TEXT NOT NULL, count INTEGER NOT NULL, last_seen_at TEXT NOT NULL,
          PRIMARY KEY (policy_id, url, page_host, resource_type)
        ) WITHOUT ROWID
        """);
  }

  void record(String policyId, ReportedUse use) {
    String kind = use.isScript() ? Detections.SCRIPT : Detections.CONNECTION;
    boolean known =
        store
            .exec(
                "SELECT 1 FROM violation WHERE policy_id = ? AND url = ? AND page_host = ?"
                    + " AND resource_type = ?",
                policyId,
                use.url(),
                use.pageHost(),
                kind)
            .hasNext();
    if (!known
        && store.count("SELECT count(*) AS n FROM violation WHERE policy_id = ?", policyId)
            >= HttpBounds.VIOLATIONS_KEPT_MAX) {
      return;
    }
    long characters = use.pageUrl().length();
    if (known
        ? !writes.mayChange(Purpose.VIOLATION, characters)
        : !writes.mayAdd(Purpose.VIOLATION, use.url().length() + characters)) {
      return;
    }
    store.exec(
        "INSERT INTO violation"
            + " (policy_id, url, page_host, resource_type, page_url, action, count, last_seen_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, 1, ?)"
            + " ON CONFLICT DO UPDATE SET count = count + 1, page_url = excluded.page_url,"
            + " action = excluded.action, last_seen_at = excluded.last_seen_at",
        policyId,
        use.url(),
        use.pageHost(),
        kind,
        use.pageUrl(),
        use.blocked() ? "allow" : "log",
        use.seenAt().toString());
  }

  void forget(String policyId) {
    store.exec("DELETE FROM violation WHERE policy_id = ?", policyId);
  }

  ZoneReply list(Call call) {
    Page page = call.query().page(1, 15);
    ArrayNode items = Json.array();
    store
        .list(
            "SELECT * FROM violation WHERE policy_id = ? ORDER BY count DESC, url, page_host"
                + " LIMIT "
                + page.size()
                + " OFFSET "
                + page.offset(),
            row ->
                Json.object()
                    .put("url", ZoneStore.text(row, "url"))
                    .put("host", ZoneStore.text(row, "page_host"))
                    .put("resource_type", ZoneStore.text(row, "resource_type"))
                    .put("page_url", ZoneStore.text(row, "page_url"))
                    .put("action", ZoneStore.text(row, "action"))
                    .put("count", row.getLong("count"))
                    .put("last_seen_at", ZoneStore.text(row, "last_seen_at")),
            call.id())
        .forEach(items::add);
    return Envelope.page(
        items,
        page,
        store.count("SELECT count(*) AS n FROM violation WHERE policy_id = ?", call.id()));
  }
}
