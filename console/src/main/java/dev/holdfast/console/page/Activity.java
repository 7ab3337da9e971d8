package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What runs now, and the alarms of all objects. Immutable.
 *
 * @param frame what surrounds it
 * @param executions what runs, the oldest first
 * @param alarms the first alarms of the index
 * @param isCut whether there are more alarms
 */
public record Activity(
    PageFrame frame, List<Execution> executions, List<Alarm> alarms, boolean isCut) {

  private static final int LINES = 200;

  /**
   * Something that runs.
   *
   * @param address which object
   * @param kind what it is
   * @param method the method; a dash without one
   * @param activity what it does or waits for
   * @param seconds since when
   * @param queued how many wait for the object
   */
  public record Execution(
      OneObject.Address address,
      String kind,
      String method,
      String activity,
      String seconds,
      String queued) {}

  /**
   * An alarm.
   *
   * @param address which object
   * @param name its name; empty for the one without
   * @param state whether it will fire
   * @param due when it fires
   * @param retries how often it was tried again
   */
  public record Alarm(
      OneObject.Address address, String name, String state, @Nullable String due, String retries) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static Activity read(PageFrame frame, Source source) {
    List<Execution> executions =
        source.ask(OperatorRequest.of("executions"), LINES).answers().stream()
            .map(Activity::execution)
            .toList();
    Source.Result alarms = source.ask(OperatorRequest.of("alarms"), LINES);
    return new Activity(
        frame, executions, alarms.answers().stream().map(Activity::alarm).toList(), alarms.isCut());
  }

  private static Execution execution(Map<String, @Nullable Object> each) {
    return new Execution(
        OneObject.address(each),
        Text.of(each.get("kind")),
        Text.of(each.get("method")),
        Text.of(each.get("activity")),
        Text.number(each.get("seconds")),
        Text.number(each.get("queued")));
  }

  private static Alarm alarm(Map<String, @Nullable Object> each) {
    return new Alarm(
        OneObject.address(each),
        Text.of(each.get("alarm")),
        Text.of(each.get("state")),
        (String) each.get("due"),
        Text.number(each.get("retries")));
  }
}
