package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** The settings of page monitoring. Monitoring is off until it is switched on. */
final class Settings {

  private static final List<String> VENDOR_NAMES =
      List.of("use_vendor_reporting_endpoint", "use_cloudflare_reporting_endpoint");

  private final ZoneStore store;
  private Values values;

  /**
   * The values.
   *
   * @param enabled whether pages are monitored
   * @param vendorEndpoint whether reports go to the vendor's own host instead of the page's host
   * @param connectionPath whether connections are distinguished by their paths
   * @param updatedAt when they were changed
   */
  record Values(
      boolean enabled, boolean vendorEndpoint, boolean connectionPath, String updatedAt) {}

  Settings(ZoneStore store) {
    this.store = store;
    Values stored = store.find("SELECT * FROM settings", Values.class);
    // Stored, so that the creation time of the zone is the same after a restart.
    values = stored == null ? save(new Values(false, true, false, now())) : stored;
  }

  Values values() {
    return values;
  }

  private String now() {
    return store.now().toString();
  }

  private Values save(Values changed) {
    store.exec("DELETE FROM settings");
    store.exec(
        "INSERT INTO settings VALUES (?, ?, ?, ?)",
        changed.enabled(),
        changed.vendorEndpoint(),
        changed.connectionPath(),
        changed.updatedAt());
    return changed;
  }

  ZoneReply get(Call call) {
    ObjectNode shown = Json.object().put("enabled", values.enabled());
    VENDOR_NAMES.forEach(name -> shown.put(name, values.vendorEndpoint()));
    return Envelope.ok(
        shown
            .put("use_connection_url_path", values.connectionPath())
            .put("updated_at", values.updatedAt()));
  }

  ZoneReply update(Call call) {
    Fields fields = call.fields();
    Values old = values;
    // An answer that is sent back has both names, and the client has changed one of them.
    boolean isOther =
        VENDOR_NAMES.stream()
            .anyMatch(name -> fields.flag(name, old.vendorEndpoint()) != old.vendorEndpoint());
    values =
        save(
            new Values(
                fields.flag("enabled", old.enabled()),
                isOther != old.vendorEndpoint(),
                fields.flag("use_connection_url_path", old.connectionPath()),
                now()));
    // All that the specification of users has; "get" shows the rest.
    return Envelope.ok(
        Json.object().put("enabled", values.enabled()).put("updated_at", values.updatedAt()));
  }
}
