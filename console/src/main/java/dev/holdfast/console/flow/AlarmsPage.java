package dev.holdfast.console.flow;

import dev.holdfast.console.page.AnswerMembers;
import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A page of the alarms in one state, by due time over all namespaces or of one. Immutable.
 *
 * @param frame what surrounds it
 * @param namespaces the alarms of each namespace in numbers
 * @param which what is shown
 * @param lines the alarms
 * @param next the place of the last alarm; null on the last page
 * @param done what was done just before; null for nothing
 */
public record AlarmsPage(
    PageFrame frame,
    List<Namespace> namespaces,
    Selection which,
    List<Line> lines,
    @Nullable String next,
    @Nullable String done) {

  private static final int LINES = 100;
  private static final int NAMESPACES_MAX = 1_000;

  /**
   * Which alarms a page has.
   *
   * @param namespace the namespace; null for all
   * @param isAbandoned whether those are shown that were given up
   * @param after the place behind which the page begins; null for the first page
   */
  public record Selection(
      @Nullable String namespace, boolean isAbandoned, @Nullable String after) {}

  /**
   * The alarms of a namespace.
   *
   * @param name its name
   * @param pending alarms that are set
   * @param due those whose time has come
   * @param running handlers that run
   * @param ran handlers that have returned
   * @param failed handlers that have thrown
   * @param givenUp those that were given up
   * @param late how late handlers begin, the 99th percentile
   */
  public record Namespace(
      String name,
      String pending,
      String due,
      String running,
      String ran,
      String failed,
      String givenUp,
      String late) {}

  /**
   * An alarm.
   *
   * @param address which object
   * @param name its name; empty for the one without
   * @param due when it fires
   * @param late how long ago that was; empty if it is to come
   * @param scheduled the time that was asked for
   * @param retries how often it was tried again
   * @param schedule how it recurs; a dash if it does not
   */
  public record Line(
      OneObject.Address address,
      String name,
      @Nullable String due,
      String late,
      @Nullable String scheduled,
      String retries,
      String schedule) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param which which alarms
   * @param now the present, which says how late an alarm is
   * @param done what was done just before; null for nothing
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static AlarmsPage read(
      PageFrame frame, Source source, Selection which, Instant now, @Nullable String done) {
    Map<String, @Nullable Object> stats = source.ask(OperatorRequest.of("stats"), 1).one();
    Source.Result page =
        source.ask(
            OperatorRequest.of("alarms")
                .with("namespace", which.namespace())
                .with("abandoned", which.isAbandoned())
                .with("after", which.after())
                .with("limit", (long) LINES),
            LINES);
    List<Line> lines = page.answers().stream().map(each -> line(each, now)).toList();
    return new AlarmsPage(
        frame,
        namespaces(stats),
        which,
        lines,
        page.note() == null || lines.isEmpty()
            ? null
            : Text.of(page.answers().getLast().get("cursor")),
        done);
  }

  private static List<Namespace> namespaces(Map<?, ?> stats) {
    List<Namespace> namespaces = new ArrayList<>();
    AnswerMembers.map(stats, "namespaces")
        .forEach(
            (name, value) -> {
              if (value instanceof Map<?, ?> of && namespaces.size() < NAMESPACES_MAX) {
                Map<?, ?> alarms = AnswerMembers.map(of, "alarms");
                namespaces.add(
                    new Namespace(
                        Text.of(name),
                        Text.number(alarms.get("pending")),
                        Text.number(alarms.get("due")),
                        Text.number(alarms.get("running")),
                        Text.number(alarms.get("ran")),
                        Text.number(alarms.get("failed")),
                        Text.number(alarms.get("givenUp")),
                        Text.duration(AnswerMembers.map(alarms, "lateNanos").get("p99"))));
              }
            });
    return List.copyOf(namespaces);
  }

  private static Line line(Map<String, @Nullable Object> each, Instant now) {
    String due = (String) each.get("due");
    Duration late = due == null ? Duration.ZERO : Duration.between(Instant.parse(due), now);
    return new Line(
        new OneObject.Address(
            Text.of(each.get("namespace")), Text.of(each.get("id")), (String) each.get("name")),
        Text.of(each.get("alarm")),
        due,
        late.isPositive() ? Text.duration(late.toMillis() * 1e6) : "",
        (String) each.get("scheduled"),
        Text.number(each.get("retries")),
        Text.schedule(each.get("schedule")));
  }
}
