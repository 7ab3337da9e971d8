package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the runtime: health with its reasons, figures of each namespace, busiest objects.
 * Immutable.
 *
 * @param frame what surrounds it
 * @param state the health
 * @param reasons why it is so, the worst first
 * @param figures what the journal and the disk have, by name
 * @param historySince since when every change is kept; null if there is no history
 * @param namespaces the namespaces
 * @param busiest the objects with the most calls lately
 */
public record Overview(
    PageFrame frame,
    String state,
    List<Reason> reasons,
    Map<String, String> figures,
    @Nullable String historySince,
    List<NamespaceLine> namespaces,
    List<BusyLine> busiest) {

  private static final int BUSIEST = 10;
  private static final int NAMESPACES_MAX = 1_000;

  /**
   * Why the health is not up.
   *
   * @param code names the reason in the documentation
   * @param state how bad it is
   * @param text a sentence
   */
  public record Reason(String code, String state, String text) {}

  /**
   * A namespace.
   *
   * @param name its name
   * @param live objects in memory
   * @param queued calls that wait
   * @param calls calls that have ended
   * @param turn the 99th percentile of a turn
   * @param alarms alarms that will fire
   */
  public record NamespaceLine(
      String name, String live, String queued, String calls, String turn, String alarms) {}

  /**
   * A busy object.
   *
   * @param namespace its namespace
   * @param id its id
   * @param name its name; null if it has none
   * @param calls its calls
   */
  public record BusyLine(String namespace, String id, @Nullable String name, String calls) {

    /** {@return the name, or the id without one} */
    public String shown() {
      return name == null ? id : name;
    }
  }

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param sample statistics that are new enough; null to ask for them
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static Overview read(
      PageFrame frame, Source source, @Nullable Map<String, @Nullable Object> sample) {
    Map<String, @Nullable Object> health = source.ask(OperatorRequest.of("health"), 1).one();
    Map<String, @Nullable Object> stats =
        sample == null ? source.ask(OperatorRequest.of("stats"), 1).one() : sample;
    List<Reason> reasons = new ArrayList<>();
    for (Map<?, ?> each : AnswerMembers.list(health, "reasons")) {
      reasons.add(
          new Reason(
              Text.of(each.get("code")), Text.of(each.get("state")), Text.of(each.get("text"))));
    }
    List<BusyLine> busiest = new ArrayList<>();
    for (Map<String, @Nullable Object> each :
        source
            .ask(OperatorRequest.of("busiest").with("limit", (long) BUSIEST), BUSIEST)
            .answers()) {
      busiest.add(
          new BusyLine(
              Text.of(each.get("namespace")),
              Text.of(each.get("id")),
              (String) each.get("name"),
              Text.number(each.get("value"))));
    }
    return new Overview(
        frame,
        Text.of(health.get("state")),
        List.copyOf(reasons),
        figures(stats),
        (String) AnswerMembers.map(stats, "journal").get("historySince"),
        namespaces(stats),
        List.copyOf(busiest));
  }

  private static Map<String, String> figures(Map<String, @Nullable Object> stats) {
    Map<?, ?> journal = AnswerMembers.map(stats, "journal");
    Map<?, ?> databases = AnswerMembers.map(stats, "databases");
    Map<String, String> figures = new LinkedHashMap<>();
    figures.put("Running for", Text.duration(stats.get("uptimeNanos")));
    figures.put("Commits", Text.number(journal.get("durablePosition")));
    figures.put("Sync, 99 %", Text.duration(AnswerMembers.map(journal, "syncNanos").get("p99")));
    figures.put("Waiting for disk", Text.number(journal.get("waiters")));
    figures.put("Journal on disk", Text.bytes(journal.get("bytesOnDisk")));
    figures.put("Open databases", Text.number(databases.get("open")));
    figures.put("Unsaved databases", Text.number(databases.get("unsaved")));
    return figures;
  }

  private static List<NamespaceLine> namespaces(Map<String, @Nullable Object> stats) {
    List<NamespaceLine> lines = new ArrayList<>();
    for (Map.Entry<?, ?> each : AnswerMembers.map(stats, "namespaces").entrySet()) {
      if (each.getValue() instanceof Map<?, ?> of && lines.size() < NAMESPACES_MAX) {
        Map<?, ?> calls = AnswerMembers.map(of, "calls");
        lines.add(
            new NamespaceLine(
                Text.of(each.getKey()),
                Text.number(of.get("live")),
                Text.number(of.get("queued")),
                Text.number(calls.get("returned")),
                Text.duration(AnswerMembers.map(of, "turnNanos").get("p99")),
                Text.number(AnswerMembers.map(of, "alarms").get("pending"))));
      }
    }
    return List.copyOf(lines);
  }
}
