package dev.holdfast.http.internal.pagemonitor;

import dev.holdfast.http.internal.store.ZoneStore;
import dev.holdfast.http.monitor.object.MonitorSettings;

/** The settings of page monitoring. Monitoring is off until it is switched on. */
final class Settings {

  private final ZoneStore store;
  private MonitorSettings values;

  Settings(ZoneStore store) {
    this.store = store;
    MonitorSettings stored = store.find("SELECT * FROM settings", MonitorSettings.class);
    // Stored, so that the creation time of the zone is the same after a restart.
    values = stored == null ? save(new MonitorSettings(false, true, false, "")) : stored;
  }

  MonitorSettings values() {
    return values;
  }

  MonitorSettings change(MonitorSettings changed) {
    values = save(changed);
    return values;
  }

  private MonitorSettings save(MonitorSettings given) {
    MonitorSettings changed =
        new MonitorSettings(
            given.enabled(),
            given.vendorEndpoint(),
            given.connectionPath(),
            store.now().toString());
    store.exec("DELETE FROM settings");
    store.exec(
        "INSERT INTO settings VALUES (?, ?, ?, ?)",
        changed.enabled(),
        changed.vendorEndpoint(),
        changed.connectionPath(),
        changed.updatedAt());
    return changed;
  }
}
