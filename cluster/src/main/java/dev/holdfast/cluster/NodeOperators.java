package dev.holdfast.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.health.Health;
import dev.holdfast.health.HealthReason;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.operator.RunningExecutions;
import dev.holdfast.statistics.ClusterStatistics;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The operations for operators on a node: {@code cluster-status}, {@code cluster-drain}, {@code
 * cluster-transfer}, {@code cluster-add} and {@code cluster-remove}. Those on objects need the
 * files of one machine, and are refused. Thread-safe.
 */
final class NodeOperators implements OperatorService {

  private final String cluster;
  private final String node;
  private final ClusterRuntime runtime;

  NodeOperators(String cluster, String node, ClusterRuntime runtime) {
    this.cluster = cluster;
    this.node = node;
    this.runtime = runtime;
  }

  @Override
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    try {
      return switch (request.verb()) {
        case "cluster-status" -> status(answers);
        case "executions" -> RunningExecutions.list(runtime.admin(), request, answers);
        case "cluster-drain" -> drain();
        case "cluster-transfer" -> transfer(request);
        case "cluster-add" -> add(request);
        case "cluster-remove" -> remove(request);
        default ->
            throw new OperatorException(
                Reason.WRONG_REQUEST,
                "A node of a cluster has no operation "
                    + request.verb()
                    + "; it has executions, cluster-status, cluster-drain, cluster-transfer,"
                    + " cluster-add and cluster-remove.");
      };
    } catch (OperatorException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new OperatorException(Reason.WRONG_REQUEST, String.valueOf(e.getMessage()), e);
    } catch (HoldfastException | IllegalStateException e) {
      throw new OperatorException(Reason.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable String status(Answers answers) {
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    answer.put("cluster", cluster);
    answer.put("node", node);
    answer.put("members", runtime.members());
    Health health = runtime.health();
    answer.put("health", health.state().name());
    answer.put("reasons", health.reasons().stream().map(NodeOperators::map).toList());
    answer.put("shards", runtime.shards().stream().map(NodeOperators::map).toList());
    ClusterStatistics numbers = runtime.statistics().cluster();
    answer.put("clockAheadMillis", new TreeMap<>(numbers.clockAheadMillis()));
    answer.put("diskUsableBytes", numbers.diskUsableBytes());
    answers.add(answer);
    return null;
  }

  private static Map<String, @Nullable Object> map(HealthReason reason) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("code", reason.code());
    members.put("state", reason.state().name());
    members.put("text", reason.text());
    return members;
  }

  static Map<String, @Nullable Object> map(ShardStatus shard) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("shard", shard.shard());
    members.put("owner", shard.owner());
    members.put("epoch", shard.epoch());
    members.put("lag", shard.lag());
    Instant since = shard.restorableSince();
    members.put("restorableSince", since == null ? null : since.toString());
    members.put("lastPosition", shard.lastPosition());
    members.put("openHere", shard.isOpenHere());
    members.put("failure", shard.failure());
    members.put("catchingUp", shard.isCatchingUp());
    members.put("agreedVersion", shard.agreedVersion());
    return members;
  }

  private String drain() {
    runtime.drain();
    List<ShardStatus> owned =
        runtime.shards().stream().filter(each -> node.equals(each.owner())).toList();
    if (!owned.isEmpty()) {
      throw new OperatorException(
          Reason.FAILED,
          "Node "
              + node
              + " owns "
              + owned.size()
              + " shards again, because no other node took them. Check that the others run and have"
              + " caught up, and drain it again.");
    }
    return "Node "
        + node
        + " is drained: it owns no shard, and takes none until it is opened again.";
  }

  private String transfer(OperatorRequest request) {
    long shard = request.number("shard", -1);
    String to = request.text("to");
    if (shard < 0 || shard > Integer.MAX_VALUE) {
      throw new OperatorException(
          Reason.WRONG_REQUEST, "The argument shard is missing, or is not a shard number.");
    }
    runtime.transfer((int) shard, to);
    return "Node " + to + " owns shard " + shard + ".";
  }

  private String add(OperatorRequest request) {
    runtime.add(request.text("member"));
    return "The node is a member in every shard. Members: " + members();
  }

  private String remove(OperatorRequest request) {
    String removed = request.text("node");
    runtime.remove(removed);
    return "Node "
        + removed
        + " is a member no more. Close it, and delete its directory. Members: "
        + members();
  }

  private String members() {
    return String.join(", ", runtime.members());
  }
}
