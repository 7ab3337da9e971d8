package dev.holdfast.cluster.catchup;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.call.CallTransport;
import dev.holdfast.cluster.call.DirectCalls;
import dev.holdfast.cluster.call.IncomingCall;
import dev.holdfast.cluster.call.Members;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.spi.log.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the copies of shards give to those of other nodes. Each member gives it, whether it owns the
 * shard or not: an owner may be waiting for the copy that asks. Thread-safe.
 */
public final class Copies {

  /** In the place of a namespace, in a call; no namespace can have this name. */
  public static final String TARGET = "$copy";

  private final NodeId self;
  private final Members members;
  private final Function<ObjectId, @Nullable ReplicaSource> here;
  private final Executor answers;
  private final TimeSource time;
  private final CopyRate rate;
  private final NodeCounters counters;
  private final RemoteInterface methods;

  /** Which node was chosen, by shard. */
  private final Map<ObjectId, OtherCopies.Source> sources = new ConcurrentHashMap<>();

  /**
   * Serves the copies of a node.
   *
   * @param self this node
   * @param members the nodes that have copies
   * @param here gives the copy of the shard that an id is in; null if it does not work
   * @param references the addresses of this node
   * @param answers runs what blocks
   * @param time limits how long another node is waited for
   * @param rate bounds what is read of others
   * @param counters counts what is read of others
   */
  public Copies(
      NodeId self,
      Members members,
      Function<ObjectId, @Nullable ReplicaSource> here,
      References references,
      Executor answers,
      TimeSource time,
      CopyRate rate,
      NodeCounters counters) {
    this.self = self;
    this.members = members;
    this.here = here;
    this.answers = answers;
    this.time = time;
    this.rate = rate;
    this.counters = counters;
    this.methods =
        new RemoteInterface(TARGET, ReplicaSource.class, StructuredClone.standard(), references);
  }

  /**
   * Returns what the copies of other nodes have.
   *
   * @param shard the number of the shard
   * @param place an id in the shard
   * @param transport brings calls to the nodes
   * @return the copies, to be used by one thread
   */
  public ReplicaSource others(int shard, ObjectId place, CallTransport transport) {
    List<NodeId> others =
        members.copiesOf(shard).stream().filter(each -> !each.equals(self)).toList();
    return on(others, shard, place, transport);
  }

  /**
   * Asks copies of other nodes what they have purged. Returns at once.
   *
   * @param shard the number of the shard
   * @param place an id in the shard
   * @param transport brings calls to the nodes
   * @param nodes the nodes
   * @param answer receives what they say, on a thread that may block
   */
  public void askPurged(
      int shard,
      ObjectId place,
      CallTransport transport,
      Collection<NodeId> nodes,
      ShardHost.PurgedAnswer answer) {
    Thread.ofVirtual()
        .name("holdfast-purge-" + shard)
        .start(() -> on(List.copyOf(nodes), shard, place, transport).askPurged(answer));
  }

  private OtherCopies on(List<NodeId> others, int shard, ObjectId place, CallTransport transport) {
    return new OtherCopies(
        shard,
        others,
        place,
        transport,
        methods,
        time,
        rate,
        counters,
        sources.computeIfAbsent(place, _ -> new OtherCopies.Source()));
  }

  /**
   * What the node gave that was chosen last was damaged: the next time another one is chosen, if
   * any is there.
   *
   * @param place an id in the shard
   */
  public void avoid(ObjectId place) {
    sources.computeIfAbsent(place, _ -> new OtherCopies.Source()).avoid();
  }

  /**
   * Answers a call of another node. Does not block.
   *
   * @param call names {@link #TARGET}
   */
  public void answer(IncomingCall call) {
    answers.execute(() -> call.answerBy(() -> answerNow(call)));
  }

  private void answerNow(IncomingCall call) {
    DirectCalls.answer(
        call,
        self,
        methods,
        () -> {
          ReplicaSource copy = here.apply(call.id());
          if (copy == null) {
            throw new JournalFailedException(
                "The copy of the shard on node " + self + " has stopped.", null);
          }
          return copy;
        });
  }
}
