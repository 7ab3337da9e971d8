package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What runs now. Immutable.
 *
 * @param frame what surrounds it
 * @param executions what runs, the oldest first
 */
public record Activity(PageFrame frame, List<Execution> executions) {

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
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static Activity read(PageFrame frame, Source source) {
    return new Activity(
        frame,
        source.ask(OperatorRequest.of("executions"), LINES).answers().stream()
            .map(Activity::execution)
            .toList());
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
}
