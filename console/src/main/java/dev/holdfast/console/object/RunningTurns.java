package dev.holdfast.console.object;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What runs for an object, and what waits for it. Takes no turn of the object. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param executions what runs, the oldest first
 * @param isCut whether there are more
 * @param problem why another page of the object is not shown; null if this one was asked for
 */
public record RunningTurns(
    PageFrame frame,
    OneObject.Address address,
    List<Running> executions,
    boolean isCut,
    @Nullable String problem) {

  private static final int EXECUTIONS = 100;
  private static final int FRAMES = 200;

  /**
   * Something that runs.
   *
   * @param kind a call, an alarm, a task or a timer
   * @param method its method; a dash without one
   * @param age how long it has run
   * @param activity what it does or waits for
   * @param called the object that it waits for; a dash without one
   * @param queued how many wait for the object
   * @param stack the stack of its thread, one frame a line; empty if it was not asked for
   */
  public record Running(
      String kind,
      String method,
      String age,
      String activity,
      String called,
      String queued,
      String stack) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param address which object
   * @param withStacks whether to take the stacks of the threads
   * @param problem why another page is not shown; null for none
   * @return the page
   * @throws dev.holdfast.console.page.PageException if the runtime does not answer
   */
  public static RunningTurns read(
      PageFrame frame,
      Source source,
      OneObject.Address address,
      boolean withStacks,
      @Nullable String problem) {
    Source.Result result =
        source.ask(
            OperatorRequest.of("executions")
                .with("namespace", address.namespace())
                .with("object", address.id())
                .with("stack", withStacks),
            EXECUTIONS);
    List<Running> running = result.answers().stream().map(RunningTurns::running).toList();
    return new RunningTurns(frame, address, running, result.isCut(), problem);
  }

  private static Running running(Map<String, @Nullable Object> of) {
    String stack =
        of.get("stack") instanceof List<?> frames
            ? String.join("\n", frames.stream().limit(FRAMES).map(String::valueOf).toList())
            : "";
    return new Running(
        Text.of(of.get("kind")),
        Text.of(of.get("method")),
        Text.number(of.get("seconds")) + " s",
        Text.of(of.get("activity")),
        Text.of(of.get("called")),
        Text.number(of.get("queued")),
        stack);
  }
}
