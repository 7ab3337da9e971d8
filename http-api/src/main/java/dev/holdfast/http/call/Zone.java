package dev.holdfast.http.call;

import dev.holdfast.http.firewall.object.ZoneFirewall;
import dev.holdfast.http.monitor.object.MonitorIntake;
import dev.holdfast.http.object.ZoneProfile;
import org.jspecify.annotations.Nullable;

/**
 * A zone of the API as a durable object, addressed by its id: a firewall and a page monitor on one
 * storage. Every method is one turn, so its writes are atomic.
 */
public interface Zone extends MonitorIntake {

  /** The namespace of the zones. */
  String NAMESPACE = "http-zones";

  /**
   * Answers a request of the API.
   *
   * @param call the request; the caller is authorized for it
   * @return the answer; errors are answers too
   */
  ZoneReply handle(ZoneCall call);

  /**
   * Creates the zone, or changes its profile.
   *
   * @param profile the new profile
   */
  void configure(ZoneProfile profile);

  /** {@return the profile of this zone; null if it was never created} */
  @Nullable ZoneProfile profile();

  /** {@return what the firewall of this zone decides with} */
  ZoneFirewall firewall();
}
