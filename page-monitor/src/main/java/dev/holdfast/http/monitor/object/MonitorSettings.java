package dev.holdfast.http.monitor.object;

/**
 * The settings of a page monitor. Immutable.
 *
 * @param enabled whether pages are monitored
 * @param vendorEndpoint whether reports go to the vendor's own host instead of the page's host
 * @param connectionPath whether connections are listed with the paths of their URLs
 * @param updatedAt the time of the last change, as a text
 */
public record MonitorSettings(
    boolean enabled, boolean vendorEndpoint, boolean connectionPath, String updatedAt) {

  /** {@return these settings with the monitor switched on} */
  public MonitorSettings on() {
    return new MonitorSettings(true, vendorEndpoint, connectionPath, updatedAt);
  }
}
