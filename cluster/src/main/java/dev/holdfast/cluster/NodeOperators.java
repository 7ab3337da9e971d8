package dev.holdfast.cluster;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectException;
import dev.holdfast.cluster.object.ClusterOperations;
import dev.holdfast.cluster.placement.PlacementStep;
import dev.holdfast.cluster.shard.EveryShard;
import dev.holdfast.cluster.shard.EveryShard.Gathered;
import dev.holdfast.cluster.shard.NodeShards;
import dev.holdfast.cluster.shard.ShardedOperations;
import dev.holdfast.operator.Answers;
import dev.holdfast.operator.LongOperations;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.OperatorService;
import dev.holdfast.operator.Plain;
import dev.holdfast.spi.inspect.OperatorJobs;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.statistics.RuntimeStatistics;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The operations for operators on a node. Those whose names begin with {@code cluster-} are about
 * the cluster, {@code health} is about this node, {@code stats} has the sums of all shards; the
 * owners perform all others. Thread-safe.
 */
final class NodeOperators implements OperatorService {

  private final Node self;
  private final ClusterNode runtime;
  private final NodeShards shards;
  private final ClusterOperations owners;
  private final EveryShard every;
  private final OperatorService sharded;
  private final OperatorJobs jobs;
  private final LongOperations longer;

  /**
   * The node, among others.
   *
   * @param name its name
   * @param others asks another node for its answer to {@code cluster-status}
   * @param work runs what blocks
   * @param clock its time
   */
  record Node(
      String name,
      Function<NodeId, Map<String, @Nullable Object>> others,
      ExecutorService work,
      InstantSource clock) {}

  NodeOperators(Node self, ClusterNode runtime, NodeShards shards, ClusterOperations owners) {
    this.self = self;
    this.runtime = runtime;
    this.shards = shards;
    this.owners = owners;
    this.every = new EveryShard(owners.shards(), /* mayLack= */ false, this::missing);
    this.sharded = new ShardedOperations(every, this::performAtOwner);
    this.jobs = new OperatorJobs(self.clock());
    this.longer = new LongOperations(jobs, runtime::backup, () -> runtime.admin().purgeArchive());
  }

  @Override
  public @Nullable String perform(OperatorRequest request, Answers answers) {
    boolean isOfShard = request.arguments().get("shard") != null;
    try {
      return switch (request.verb()) {
        case "cluster-status" -> {
          answers.add(NodeStatus.of(runtime));
          yield null;
        }
        case "cluster-nodes" -> nodes(answers);
        case "cluster-drain" -> drain();
        case "cluster-transfer" -> transfer(request);
        case "cluster-add" -> add(request);
        case "cluster-remove" -> remove(request);
        case "cluster-replace" -> replace(request);
        case "cluster-balance" -> balance(request, answers);
        case "cluster-ready" -> ready();
        case "backup" -> longer.backup(ofAll(request), answers);
        case "archive-purge" -> longer.purgeArchive(ofAll(request), answers);
        case "jobs" -> {
          jobs.list().forEach(answers::add);
          yield null;
        }
        case "health" -> isOfShard ? sharded.perform(request, answers) : health(answers);
        case "stats" -> isOfShard ? sharded.perform(request, answers) : stats(request, answers);
        default -> sharded.perform(request, answers);
      };
    } catch (OperatorException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new OperatorException(Reason.WRONG_REQUEST, String.valueOf(e.getMessage()), e);
    } catch (ObjectException e) {
      // The place of a shard is not an object that a person has asked for.
      throw new OperatorException(Reason.FAILED, e.withoutObject(), e);
    } catch (HoldfastException | IllegalStateException e) {
      throw new OperatorException(Reason.FAILED, String.valueOf(e.getMessage()), e);
    }
  }

  // ---- All shards ---------------------------------------------------------------------------

  /** Calls of objects wait for an owner; a list of all objects does not. */
  private @Nullable String missing(int shard) {
    return shards.all().get(shard).ownership().isPresent()
        ? null
        : "No owner is known to this node, so what the shard has is not here. Ask again; cluster"
            + " status says how the shards are.";
  }

  private @Nullable String performAtOwner(int shard, OperatorRequest request, Answers answers) {
    String note = owners.operate(shard, request, answers);
    NodeId owner = shards.all().get(shard).owner();
    if (request.arguments().get("file") == null || owner == null) {
      return note;
    }
    String where = "The file is on the machine of node " + owner + ".";
    return note == null ? where : note + " " + where;
  }

  private @Nullable String stats(OperatorRequest request, Answers answers) {
    Gathered<RuntimeStatistics> gathered =
        every.ask(request, shard -> owners.of(shard).statistics());
    answers.add(Plain.map(runtime.sum(List.copyOf(gathered.byShard().values()))));
    return gathered.sentences().text(owners.shards());
  }

  private @Nullable String health(Answers answers) {
    answers.add(Plain.map(runtime.health()));
    return null;
  }

  /** Of all shards, as jobs of the node that was asked. */
  private static OperatorRequest ofAll(OperatorRequest request) {
    if (request.arguments().get("shard") != null) {
      throw new OperatorException(
          Reason.WRONG_REQUEST,
          "The operation is one of all shards: leave the argument shard out.");
    }
    return request;
  }

  // ---- The cluster --------------------------------------------------------------------------

  /** Each member says how it is; of one that does not answer, the reason is said. */
  private @Nullable String nodes(Answers answers) {
    Map<String, CompletableFuture<Map<String, @Nullable Object>>> asked = new LinkedHashMap<>();
    for (String member : runtime.members()) {
      asked.put(
          member,
          member.equals(self.name())
              ? CompletableFuture.completedFuture(NodeStatus.of(runtime))
              : CompletableFuture.supplyAsync(() -> reported(member), self.work()));
    }
    if (!asked.containsKey(self.name())) { // it waits to be added
      answers.add(NodeStatus.of(runtime));
    }
    for (CompletableFuture<Map<String, @Nullable Object>> each : asked.values()) {
      answers.add(each.join());
    }
    return null;
  }

  private Map<String, @Nullable Object> reported(String member) {
    try {
      return self.others().apply(new NodeId(member));
    } catch (HoldfastException e) {
      Map<String, @Nullable Object> silent = new LinkedHashMap<>();
      silent.put("node", member);
      silent.put("failure", e.getMessage());
      return silent;
    }
  }

  private String drain() {
    runtime.drain();
    List<ShardStatus> owned =
        runtime.shards().stream().filter(each -> self.name().equals(each.owner())).toList();
    if (!owned.isEmpty()) {
      throw new OperatorException(
          Reason.FAILED,
          "Node "
              + self.name()
              + " owns "
              + owned.size()
              + " shards again, because no other node took them. Check that the others run and have"
              + " caught up, and drain it again.");
    }
    return "Node "
        + self.name()
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
    return "The node is a member; its copies of shards come as the cluster is evened. Members: "
        + members();
  }

  private String remove(OperatorRequest request) {
    String removed = request.text("node");
    runtime.remove(removed);
    return "Node "
        + removed
        + " is a member no more. Close it, and delete its directory. Members: "
        + members();
  }

  private String replace(OperatorRequest request) {
    runtime.replace(request.text("member"));
    return "The node is a member again, with its new directory. Members: " + members();
  }

  private String balance(OperatorRequest request, Answers answers) {
    Balancer balancer = runtime.balancer();
    if (request.arguments().get("off") instanceof Boolean off) {
      balancer.change(rules -> rules.off(new NodeId(self.name()), off));
      return off
          ? "Nothing is evened from now on. Say it again with --on to go on."
          : "The cluster is evened from now on.";
    }
    if (Boolean.TRUE.equals(request.arguments().get("dryRun"))) {
      return planned(balancer, answers);
    }
    Optional<String> why = balancer.evenNow(step -> answers.add(step(step)));
    if (why.isPresent()) {
      throw new OperatorException(Reason.FAILED, "The cluster is not even yet. " + why.get());
    }
    return "The cluster is even.";
  }

  private static String planned(Balancer balancer, Answers answers) {
    PlacementLook look = balancer.look();
    Optional<String> unknown = look.unknown();
    if (unknown.isPresent()) {
      throw new OperatorException(Reason.FAILED, "No step can be planned. " + unknown.get());
    }
    List<PlacementStep> steps = look.plan();
    steps.forEach(each -> answers.add(step(each)));
    String reasons = look.reasons().map(why -> " " + why).orElse("");
    if (steps.isEmpty()) {
      return (reasons.isEmpty() ? "The cluster is even." : "No step can be taken.") + reasons;
    }
    return steps.size()
        + " steps; the new copies have "
        + look.bytes(steps)
        + " bytes"
        + balancer
            .timeLeft(look, steps)
            .map(left -> ", about " + left.toSeconds() + " s as the last ones took")
            .orElse("")
        + "."
        + (look.rules().isOff() ? " Evening is off: say ./holdfast cluster balance --on." : "")
        + reasons;
  }

  private static Map<String, @Nullable Object> step(PlacementStep step) {
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    said.put("step", Balancer.text(step));
    return said;
  }

  private String ready() {
    Optional<String> why = runtime.whyNotToStop();
    if (why.isPresent()) {
      throw new OperatorException(
          Reason.FAILED, "It is not safe to stop node " + self.name() + " now. " + why.get());
    }
    return "It is safe to stop node " + self.name() + ".";
  }

  private String members() {
    return String.join(", ", runtime.members());
  }
}
