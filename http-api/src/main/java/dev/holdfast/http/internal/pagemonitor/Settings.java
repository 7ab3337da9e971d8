package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.call.Call;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.internal.reply.Envelope;
import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.object.ZoneReply;
import dev.holdfast.sql.SqlRow;
import java.time.Instant;
import java.util.List;

/** The settings of page monitoring. Monitoring is off until it is switched on. */
public final class Settings {

  private final ZoneStore store;
  private Values values;

  private record Values(
      boolean enabled, boolean vendorEndpoint, boolean connectionPath, Instant updatedAt) {}

  /**
   * Opens the settings.
   *
   * @param store the zone's store
   */
  public Settings(ZoneStore store) {
    this.store = store;
    store.exec(
        """
        CREATE TABLE IF NOT EXISTS settings (
          enabled INTEGER NOT NULL, vendor_endpoint INTEGER NOT NULL,
          connection_path INTEGER NOT NULL, updated_at TEXT NOT NULL
        )
        """);
    Values stored = store.find("SELECT * FROM settings", Settings::read);
    this.values = stored == null ? new Values(false, true, false, store.now()) : stored;
    if (stored == null) {
      // So that the creation time of the zone is the same after a restart.
      save(values);
    }
  }

  /** {@return whether pages are monitored} */
  public boolean enabled() {
    return values.enabled();
  }

  /** {@return whether connections are distinguished by their paths} */
  public boolean useConnectionPath() {
    return values.connectionPath();
  }

  /** {@return whether reports go to the vendor's own host instead of the page's host} */
  public boolean useVendorEndpoint() {
    return values.vendorEndpoint();
  }

  ZoneReply get(Call call) {
    return answer();
  }

  ZoneReply update(Call call) {
    Fields fields = call.fields();
    Values old = values;
    Values changed =
        new Values(
            fields.flag("enabled", old.enabled()),
            flagOfNames(
                fields,
                List.of("use_vendor_reporting_endpoint", "use_cloudflare_reporting_endpoint"),
                old.vendorEndpoint()),
            fields.flag("use_connection_url_path", old.connectionPath()),
            store.now());
    store.exec("DELETE FROM settings");
    save(changed);
    values = changed;
    return answer();
  }

  private void save(Values changed) {
    store.exec(
        "INSERT INTO settings (enabled, vendor_endpoint, connection_path, updated_at)"
            + " VALUES (?, ?, ?, ?)",
        changed.enabled(),
        changed.vendorEndpoint(),
        changed.connectionPath(),
        changed.updatedAt().toString());
  }

  private ZoneReply answer() {
    return Envelope.ok(
        Json.object()
            .put("enabled", values.enabled())
            .put("updated_at", values.updatedAt().toString())
            .put("use_vendor_reporting_endpoint", values.vendorEndpoint())
            // The same value under the name that clients of the reference service read.
            .put("use_cloudflare_reporting_endpoint", values.vendorEndpoint())
            .put("use_connection_url_path", values.connectionPath()));
  }

  private static boolean flagOfNames(Fields fields, List<String> names, boolean otherwise) {
    boolean isChanged = false;
    for (String name : names) {
      // An answer that is sent back has all names, and the client has changed one of them.
      isChanged |= fields.flag(name, otherwise) != otherwise;
    }
    return isChanged != otherwise;
  }

  private static Values read(SqlRow row) {
    return new Values(
        row.getLong("enabled") != 0,
        row.getLong("vendor_endpoint") != 0,
        row.getLong("connection_path") != 0,
        Instant.parse(ZoneStore.text(row, "updated_at")));
  }
}
