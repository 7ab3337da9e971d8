package dev.holdfast.console.nodes;

import dev.holdfast.console.page.AnswerMembers;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The members of a cluster as each says it is, and the shards as their owners see them. Immutable.
 *
 * @param frame what surrounds it
 * @param members the members, by name
 * @param shards the shards, by number
 * @param done what was done just before; null for nothing
 */
public record ClusterPage(
    PageFrame frame, List<Member> members, List<Shard> shards, @Nullable String done) {

  private static final int MEMBERS_MAX = 16;

  /**
   * A member.
   *
   * @param name its name
   * @param health how it is; a dash if it does not answer
   * @param owned how many shards it owns
   * @param disk the usable bytes of its disk
   * @param clock how far its clock is ahead of the clock of the node that is asked
   * @param reasons why it is so
   */
  public record Member(
      String name, String health, String owned, String disk, String clock, List<String> reasons) {}

  /**
   * A shard.
   *
   * @param number its number
   * @param owner its owner; null if nobody knows one
   * @param epoch of the ownership
   * @param state whether it is moved now, or what is wrong with its copies
   * @param since from when on its history can be restored
   * @param lags how many entries each member says that copies lack, by member
   */
  public record Shard(
      String number,
      @Nullable String owner,
      String epoch,
      String state,
      @Nullable String since,
      List<String> lags) {}

  /** What all members say of a shard. */
  private static final class Views {

    private Map<?, ?> newest = Map.of();
    private final List<String> lags = new ArrayList<>();
    private final List<String> states = new ArrayList<>();

    void add(String member, Map<?, ?> shard) {
      if (epoch(shard) > epoch(newest)) {
        newest = shard;
      }
      lags.add(Text.number(shard.get("lag")));
      if (Boolean.TRUE.equals(shard.get("moving"))) {
        states.add(member + ": is being moved");
      }
      if (Boolean.TRUE.equals(shard.get("catchingUp"))) {
        states.add(member + ": fetches what its copy lacks");
      }
      if (shard.get("failure") != null) {
        states.add(member + ": " + shard.get("failure"));
      }
    }

    private static long epoch(Map<?, ?> shard) {
      return shard.get("epoch") instanceof Number epoch ? epoch.longValue() : -1;
    }
  }

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the node
   * @param done what was done just before; null for nothing
   * @return the page
   * @throws PageException if the runtime is one machine, or does not answer
   */
  public static ClusterPage read(PageFrame frame, Source source, @Nullable String done) {
    if (!frame.isNode()) {
      throw new PageException(404, "Only a running node of a cluster has this page.");
    }
    List<Map<String, @Nullable Object>> answers =
        source.ask(OperatorRequest.of("cluster-nodes"), MEMBERS_MAX).answers();
    Map<?, ?> clocks =
        answers.stream()
            .map(each -> AnswerMembers.map(each, "clockAheadMillis"))
            .filter(each -> !each.isEmpty())
            .findFirst()
            .orElse(Map.of());
    Map<Long, Views> shards = new TreeMap<>();
    for (int each = 0; each < answers.size(); each++) {
      Map<String, @Nullable Object> answer = answers.get(each);
      for (Map<?, ?> shard : AnswerMembers.list(answer, "shards")) {
        long number = shard.get("shard") instanceof Number of ? of.longValue() : -1;
        Views views = shards.computeIfAbsent(number, _ -> new Views());
        fill(views.lags, each);
        views.add(Text.of(answer.get("node")), shard);
      }
    }
    shards.values().forEach(each -> fill(each.lags, answers.size()));
    return new ClusterPage(
        frame,
        answers.stream().map(each -> member(each, clocks, shards)).toList(),
        shards.entrySet().stream().map(each -> shard(each.getKey(), each.getValue())).toList(),
        done);
  }

  /** A member that does not answer says nothing of a shard. */
  private static void fill(List<String> lags, int size) {
    while (lags.size() < size) {
      lags.add("-");
    }
  }

  private static Member member(
      Map<String, @Nullable Object> answer, Map<?, ?> clocks, Map<Long, Views> shards) {
    String name = Text.of(answer.get("node"));
    List<String> reasons = new ArrayList<>();
    if (answer.get("failure") != null) {
      reasons.add("It does not answer: " + answer.get("failure"));
    }
    AnswerMembers.list(answer, "reasons").forEach(each -> reasons.add(Text.of(each.get("text"))));
    long owned =
        shards.values().stream().filter(each -> name.equals(each.newest.get("owner"))).count();
    return new Member(
        name,
        Text.of(answer.get("health")),
        Text.number(owned),
        Text.bytes(answer.get("diskUsableBytes")),
        clocks.get(name) instanceof Number ahead ? Text.number(ahead.longValue()) + " ms" : "-",
        List.copyOf(reasons));
  }

  private static Shard shard(long number, Views views) {
    Map<?, ?> newest = views.newest;
    return new Shard(
        String.valueOf(number),
        (String) newest.get("owner"),
        Text.number(newest.get("epoch")),
        views.states.isEmpty() ? "-" : String.join("; ", views.states),
        (String) newest.get("restorableSince"),
        List.copyOf(views.lags));
  }
}
