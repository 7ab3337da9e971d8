package dev.holdfast.cluster;

import dev.holdfast.cluster.member.MemberBook;
import dev.holdfast.cluster.placement.NodeUse;
import dev.holdfast.cluster.placement.NodeView;
import dev.holdfast.cluster.placement.PlacementPlanner;
import dev.holdfast.cluster.placement.PlacementRules;
import dev.holdfast.cluster.placement.PlacementStep;
import dev.holdfast.cluster.placement.PlacementView;
import dev.holdfast.cluster.placement.ShardView;
import dev.holdfast.spi.log.Configuration;
import dev.holdfast.spi.log.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the nodes have said of placement at one time. Immutable. */
final class PlacementLook {

  private final Map<NodeId, Map<String, @Nullable Object>> said;
  private final PlacementRules rules;
  private final PlacementView view;

  private PlacementLook(
      Map<NodeId, Map<String, @Nullable Object>> said, PlacementRules rules, PlacementView view) {
    this.said = Collections.unmodifiableMap(said);
    this.rules = rules;
    this.view = view;
  }

  /**
   * Reads what the nodes have said.
   *
   * @param said by the nodes that have answered
   * @param book says which nodes there are
   * @param last how they were at the last look: one that is away keeps its labels
   */
  static PlacementLook of(
      Map<NodeId, Map<String, @Nullable Object>> said,
      MemberBook book,
      Map<NodeId, NodeView> last) {
    PlacementRules rules = book.rules();
    List<NodeView> views = new ArrayList<>();
    for (NodeId node : book.nodes()) {
      Map<String, @Nullable Object> report = said.get(node);
      NodeView known = last.get(node);
      Map<String, String> labels =
          report != null ? labels(report) : known == null ? Map.of() : known.labels();
      views.add(new NodeView(node, labels, use(node, report, rules)));
    }
    return new PlacementLook(
        said, rules, new PlacementView(book.copiesWanted(views.size()), views, shards(said, book)));
  }

  private static NodeUse use(
      NodeId node, @Nullable Map<String, @Nullable Object> report, PlacementRules rules) {
    if (rules.leaving().contains(node)) {
      return NodeUse.LEAVING;
    }
    return report == null ? NodeUse.ABSENT : NodeUse.valueOf(String.valueOf(report.get("use")));
  }

  private static Map<String, String> labels(Map<String, @Nullable Object> report) {
    Map<String, String> labels = new LinkedHashMap<>();
    if (report.get("labels") instanceof Map<?, ?> given) {
      given.forEach((name, value) -> labels.put(String.valueOf(name), String.valueOf(value)));
    }
    return labels;
  }

  private static List<ShardView> shards(
      Map<NodeId, Map<String, @Nullable Object>> said, MemberBook book) {
    Map<Integer, Owned> owned = new LinkedHashMap<>();
    for (Owned each : owned(said)) {
      owned.merge(each.shard(), each, (a, b) -> a.epoch() > b.epoch() ? a : b);
    }
    Set<NodeId> present = said.keySet();
    List<ShardView> views = new ArrayList<>();
    for (int shard = 0; shard < book.shards(); shard++) {
      Owned found = owned.get(shard);
      if (found == null) {
        views.add(
            new ShardView(
                shard,
                book.copiesOf(shard),
                null,
                /* isChanging= */ true,
                Set.of(),
                /* bytes= */ 0));
      } else {
        views.add(found.view(present));
      }
    }
    return views;
  }

  /** {@return what nodes say of the shards that they own; of one shard two may} */
  private static List<Owned> owned(Map<NodeId, Map<String, @Nullable Object>> said) {
    List<Owned> owned = new ArrayList<>();
    for (Map.Entry<NodeId, Map<String, @Nullable Object>> each : said.entrySet()) {
      if (each.getValue().get("owned") instanceof List<?> all) {
        all.forEach(shard -> owned.add(new Owned(each.getKey(), (Map<?, ?>) shard)));
      }
    }
    return owned;
  }

  /** What the owner of a shard says of it. */
  private record Owned(NodeId node, Map<?, ?> said) {

    int shard() {
      return number("shard").intValue();
    }

    long epoch() {
      return number("epoch").longValue();
    }

    private Number number(String name) {
      return said.get(name) instanceof Number number ? number : 0;
    }

    boolean isChanging() {
      return !Boolean.FALSE.equals(said.get("changing"));
    }

    Configuration configuration() {
      return said.get("members") instanceof List<?> text
          ? NodePlacement.configuration(text)
          : Configuration.of(Configuration.NO_ENTRY, Map.of());
    }

    ShardView view(Set<NodeId> present) {
      List<NodeId> copies = List.copyOf(configuration().members().keySet());
      Set<NodeId> behind = new HashSet<>();
      if (said.get("behind") instanceof List<?> names) {
        names.forEach(each -> behind.add(new NodeId(String.valueOf(each))));
      }
      copies.stream().filter(each -> !present.contains(each)).forEach(behind::add);
      return new ShardView(
          shard(), copies, node, isChanging(), behind, number("bytes").longValue());
    }
  }

  /** {@return which nodes keep the shards whose owners have answered, unless that is changing} */
  static Map<Integer, Configuration> configurations(
      Map<NodeId, Map<String, @Nullable Object>> said) {
    Map<Integer, Configuration> found = new LinkedHashMap<>();
    for (Owned each : owned(said)) {
      if (!each.isChanging()) {
        found.merge(each.shard(), each.configuration(), (a, b) -> a.index() > b.index() ? a : b);
      }
    }
    return found;
  }

  /** {@return whether a node says that it keeps a shard} */
  static boolean keeps(Map<String, @Nullable Object> report, int shard) {
    return report.get("keeps") instanceof List<?> keeps
        && keeps.stream()
            .anyMatch(each -> each instanceof Number number && number.longValue() == shard);
  }

  /**
   * {@return whether a node has heard that it keeps a shard, and says that it does not} A copy is
   * there before the log names its node, so one that has not heard of it may have it by now.
   *
   * @param agreed which nodes keep the shard
   */
  static boolean lacks(Map<String, @Nullable Object> report, int shard, Configuration agreed) {
    Configuration heard = NodePlacement.configurations(report, shard + 1).get(shard);
    return heard != null && heard.index() >= agreed.index() && !keeps(report, shard);
  }

  /**
   * {@return the incarnations of a node's directories that nodes know which have answered}
   *
   * @param node the node
   */
  Set<Long> directoriesOf(NodeId node) {
    Set<Long> known = new HashSet<>();
    for (Map<String, @Nullable Object> report : said.values()) {
      directory(report, node).ifPresent(known::add);
    }
    return known;
  }

  /** {@return the incarnation of the directory that a node runs with, if it has said it} */
  OptionalLong ownDirectoryOf(NodeId node) {
    Map<String, @Nullable Object> report = said.get(node);
    return report == null ? OptionalLong.empty() : directory(report, node);
  }

  private static OptionalLong directory(Map<String, @Nullable Object> report, NodeId node) {
    return report.get("directories") instanceof Map<?, ?> known
            && known.get(node.name()) instanceof String incarnation
        ? OptionalLong.of(Long.parseUnsignedLong(incarnation, 16))
        : OptionalLong.empty();
  }

  static long bytes(PlacementView view, int shard) {
    return view.shards().stream()
        .filter(each -> each.number() == shard)
        .mapToLong(ShardView::bytes)
        .sum();
  }

  /** {@return what each node has said that has answered} */
  Map<NodeId, Map<String, @Nullable Object>> reports() {
    return said;
  }

  PlacementRules rules() {
    return rules;
  }

  PlacementView view() {
    return view;
  }

  /** {@return whether a node has answered} */
  boolean isThere(NodeId node) {
    return said.containsKey(node);
  }

  /** {@return the next step; empty if there is none, or too little is known} */
  Optional<PlacementStep> next() {
    return unknown().isPresent() ? Optional.empty() : PlacementPlanner.next(view);
  }

  /** {@return all steps that are left, as far as it can be seen} */
  List<PlacementStep> plan() {
    return unknown().isPresent() ? List.of() : PlacementPlanner.plan(view);
  }

  /** {@return how many bytes the copies have that steps make} */
  long bytes(List<PlacementStep> steps) {
    return steps.stream()
        .filter(PlacementStep.AddCopy.class::isInstance)
        .mapToLong(each -> bytes(view, each.shard()))
        .sum();
  }

  /** {@return why nothing can be decided; empty if it can} */
  Optional<String> unknown() {
    if (said.size() < view.nodes().size() / 2 + 1) {
      return Optional.of("A majority of the nodes does not answer.");
    }
    Set<Object> replicas = new HashSet<>();
    said.values().forEach(each -> replicas.add(String.valueOf(each.get("replicas"))));
    return replicas.size() <= 1
        ? Optional.empty()
        : Optional.of(
            "The nodes are opened with different numbers of copies, "
                + replicas
                + ". Give all of them the same withReplicas.");
  }

  /** {@return why a cluster that is not even stays as it is; empty if nothing keeps it} */
  Optional<String> reasons() {
    return unknown().or(() -> reasons(view));
  }

  /**
   * {@return why it is not safe to stop a node now: a shard would have no majority, or has no
   * owner; empty if it is}
   */
  Optional<String> whyNotToStop(NodeId node) {
    for (ShardView shard : view.shards()) {
      if (!shard.copies().contains(node)) {
        continue;
      }
      long left =
          shard.copies().stream()
              .filter(each -> !each.equals(node) && !shard.behind().contains(each))
              .count();
      if (shard.owner() == null || shard.isChanging()) {
        return Optional.of(
            "Shard "
                + shard.number()
                + (shard.owner() == null
                    ? " has no owner that answers."
                    : " is being moved, or its copies are."));
      }
      if (left < shard.copies().size() / 2 + 1) {
        return Optional.of(
            "Shard "
                + shard.number()
                + " would have "
                + left
                + " of "
                + shard.copies().size()
                + " copies that have caught up; "
                + shard.behind()
                + " have not.");
      }
    }
    return Optional.empty();
  }

  private static Optional<String> reasons(PlacementView view) {
    List<String> reasons = PlacementPlanner.reasons(view);
    return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", reasons));
  }
}
