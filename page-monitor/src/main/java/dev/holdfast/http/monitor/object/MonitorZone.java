package dev.holdfast.http.monitor.object;

import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import dev.holdfast.http.object.ZoneProfile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The page monitor of a zone as a durable object, addressed by the id of the zone. Before all else
 * it is configured, once. All methods throw {@link dev.holdfast.http.object.RefusedException} where
 * the zone does not have or allow what is asked.
 */
public interface MonitorZone extends MonitorIntake {

  /** The namespace of page monitors that are not part of the HTTP API. */
  String NAMESPACE = "page-monitors";

  /**
   * Creates the zone, or changes its profile.
   *
   * @param profile the new profile
   */
  void configure(ZoneProfile profile);

  /** {@return the profile of the zone; null if it was never created} */
  @Nullable ZoneProfile profile();

  /** {@return the settings} */
  MonitorSettings settings();

  /**
   * Changes the settings.
   *
   * @param settings the new ones; their time is not read
   * @return the new ones
   */
  MonitorSettings changeSettings(MonitorSettings settings);

  /** {@return all policies, in the order of their creation} */
  List<MonitorPolicy> policies();

  /**
   * {@return the policy with an id}
   *
   * @param id the id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  MonitorPolicy policy(String id);

  /**
   * Stores a policy.
   *
   * @param policy the policy; its id is not read
   * @return the policy with the id that the zone has given it
   * @throws dev.holdfast.http.object.RefusedException if the policy is wrong, or the quota is
   *     reached
   */
  MonitorPolicy addPolicy(MonitorPolicy policy);

  /**
   * Changes a policy. What does not change was checked before, perhaps by other rules.
   *
   * @param id its id
   * @param change what it becomes
   * @return the stored policy
   * @throws dev.holdfast.http.object.RefusedException if there is none, or the change is wrong
   */
  MonitorPolicy changePolicy(String id, PolicyChange change);

  /**
   * Deletes a policy and its violations.
   *
   * @param id its id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  void deletePolicy(String id);

  /**
   * {@return what a policy has blocked or reported, the most frequent first}
   *
   * @param policyId the policy
   * @param page the page
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Found<PolicyViolation> violations(String policyId, PageRange page);

  /**
   * {@return the wanted scripts}
   *
   * @param wanted the wanted ones
   * @param page the page; null for one with all
   * @throws dev.holdfast.http.object.RefusedException if the search is wrong
   */
  Found<Detection> scripts(DetectionSearch wanted, @Nullable PageRange page);

  /**
   * {@return the script with an id, with its pages and versions}
   *
   * @param id the id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Detection script(String id);

  /**
   * {@return the wanted connections}
   *
   * @param wanted the wanted ones
   * @param page the page; null for one with all
   * @throws dev.holdfast.http.object.RefusedException if the search is wrong
   */
  Found<Detection> connections(DetectionSearch wanted, @Nullable PageRange page);

  /**
   * {@return the connection with an id, with its pages}
   *
   * @param id the id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  Detection connection(String id);

  /** {@return what the reader of scripts and connections should know} */
  List<Notice> detectionNotices();

  /**
   * {@return the wanted cookies}
   *
   * @param wanted the wanted ones
   * @param page the page; null for one with all
   * @throws dev.holdfast.http.object.RefusedException if the search is wrong
   */
  Found<MonitoredCookie> monitoredCookies(CookieSearch wanted, @Nullable PageRange page);

  /**
   * {@return the cookie with an id}
   *
   * @param id the id
   * @throws dev.holdfast.http.object.RefusedException if there is none
   */
  MonitoredCookie monitoredCookie(String id);

  /** {@return what the reader of cookies should know} */
  List<Notice> cookieNotices();
}
