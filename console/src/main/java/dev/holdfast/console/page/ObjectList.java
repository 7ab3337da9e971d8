package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A page of the objects of a namespace, first those with names, in their order. Immutable.
 *
 * @param frame what surrounds it
 * @param namespaces all namespaces
 * @param namespace the shown one; empty if there is none
 * @param prefix the beginning of the names that are shown; empty for all
 * @param lines the objects
 * @param next the object behind which the next page begins; null on the last one
 * @param missing which shards of a cluster are not in the list, and why; null if all are
 */
public record ObjectList(
    PageFrame frame,
    List<String> namespaces,
    String namespace,
    String prefix,
    List<Line> lines,
    @Nullable Line next,
    @Nullable String missing) {

  private static final int LINES = 100;
  private static final int NAMESPACES_MAX = 10_000;

  /**
   * An object.
   *
   * @param id its id
   * @param name its name; null if it has none
   * @param bytes its size
   * @param changed its last change; null if the journal does not have it
   * @param alarm when its next alarm fires; null if it has none, or more alarms come before than
   *     are read
   */
  public record Line(
      String id,
      @Nullable String name,
      String bytes,
      @Nullable String changed,
      @Nullable String alarm) {

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
   * @param wanted the namespace; null for the first one
   * @param prefix the beginning of the names; empty for all
   * @param after the object before the first one; null for the first page
   * @param afterId its id, as others may have its name; null if that does not matter
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static ObjectList read(
      PageFrame frame,
      Source source,
      @Nullable String wanted,
      String prefix,
      @Nullable String after,
      @Nullable String afterId) {
    // A node of a cluster answers for each shard.
    List<String> namespaces =
        source.ask(OperatorRequest.of("namespaces"), NAMESPACES_MAX).answers().stream()
            .map(each -> Text.of(each.get("namespace")))
            .distinct()
            .sorted()
            .toList();
    String namespace = wanted == null && !namespaces.isEmpty() ? namespaces.getFirst() : wanted;
    if (namespace == null) {
      return new ObjectList(frame, namespaces, "", prefix, List.of(), null, null);
    }
    Source.Result page =
        source.ask(
            OperatorRequest.of("objects")
                .with("namespace", namespace)
                .with("prefix", prefix.isEmpty() ? null : prefix)
                .with("after", after)
                .with("afterId", afterId)
                .with("limit", (long) LINES),
            LINES);
    List<Line> lines = new ArrayList<>();
    for (Map<String, @Nullable Object> each : page.answers()) {
      lines.add(
          new Line(
              Text.of(each.get("id")),
              (String) each.get("name"),
              Text.bytes(each.get("bytes")),
              (String) each.get("changed"),
              (String) each.get("alarm")));
    }
    return new ObjectList(
        frame,
        namespaces,
        namespace,
        prefix,
        List.copyOf(lines),
        page.isMore() && !lines.isEmpty() ? lines.getLast() : null,
        page.missing());
  }
}
