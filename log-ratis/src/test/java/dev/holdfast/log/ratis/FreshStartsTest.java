package dev.holdfast.log.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.disk.FileDisk;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.Test;

/**
 * The first moments of three nodes that have nothing: leaders are replaced before their first entry
 * is on a majority, and nodes are killed. A model of Raft, numbered as Ratis does, calls the state
 * machines of the nodes as Ratis does.
 */
final class FreshStartsTest {

  private static final int STARTS = 200;
  private static final int STEPS = 120;

  /** The first entry of each leader names the members; a replica is not given it. */
  private record Entry(long term, boolean isOfReplicas) {}

  private static final class Node {

    final List<Entry> log = new ArrayList<>(); // durable, as is the term
    final TreeMap<Long, Long> replica = new TreeMap<>(); // the terms of what it was given
    final List<String> refused = new ArrayList<>();
    ShardStateMachine machine = machine(RatisLog.NONE);
    long term;
    long committed = RatisLog.NONE;
    long applied = RatisLog.NONE;

    ShardStateMachine machine(long replicaHas) {
      return new ShardStateMachine(
          (ShardStateMachine.Log)
              Proxy.newProxyInstance(
                  ShardStateMachine.Log.class.getClassLoader(),
                  new Class<?>[] {ShardStateMachine.Log.class},
                  (_, method, arguments) -> {
                    switch (method.getName()) {
                      case "apply" -> apply((Long) arguments[0], (ByteBuffer) arguments[1]);
                      case "takenBack" -> refused.add("entry " + arguments[0]);
                      default -> throw new AssertionError(method.getName());
                    }
                    return null;
                  }),
          new FileDisk(),
          replicaHas);
    }

    private void apply(long index, ByteBuffer bytes) {
      replica.putIfAbsent(index, bytes.getLong());
    }

    long last() {
      return log.size() - 1L;
    }

    long lastTerm() {
      return log.isEmpty() ? 0 : log.getLast().term();
    }

    void truncate(long index) {
      machine.truncate(index).join();
      log.subList((int) index, log.size()).clear();
    }

    /** Passes what is committed on, as the thread of Ratis does. */
    void applyCommitted() {
      while (applied < Math.min(committed, last())) {
        applied++;
        Entry entry = log.get((int) applied);
        if (entry.isOfReplicas()) {
          machine.applyTransaction(
              TransactionContext.newBuilder()
                  .setServerRole(RaftPeerRole.FOLLOWER)
                  .setStateMachine(machine)
                  .setLogEntry(
                      LogEntryProto.newBuilder()
                          .setTerm(entry.term())
                          .setIndex(applied)
                          .setStateMachineLogEntry(
                              StateMachineLogEntryProto.newBuilder()
                                  .setLogData(
                                      ByteString.copyFrom(
                                          ByteBuffer.allocate(8).putLong(0, entry.term()))))
                          .build())
                  .build());
        }
      }
    }

    /** What the replica has not saved is lost. */
    void kill(Random random) {
      while (!replica.isEmpty() && random.nextBoolean()) {
        replica.pollLastEntry();
      }
      committed = RatisLog.NONE;
      applied = RatisLog.NONE;
      machine = machine(replica.isEmpty() ? RatisLog.NONE : replica.lastKey());
    }
  }

  private final List<Node> nodes = new ArrayList<>();
  private Random random = new Random(0);
  private int leader;

  private void elect() {
    int candidate = random.nextInt(3);
    Node chosen = nodes.get(candidate);
    long term = nodes.stream().mapToLong(each -> each.term).max().orElseThrow() + 1;
    List<Node> votes =
        Stream.of(chosen, nodes.get((candidate + 1 + random.nextInt(2)) % 3))
            .filter(
                each ->
                    chosen.lastTerm() > each.lastTerm()
                        || (chosen.lastTerm() == each.lastTerm() && chosen.last() >= each.last()))
            .toList();
    chosen.term = term;
    if (votes.size() == 2) {
      votes.forEach(each -> each.term = term);
      chosen.log.add(new Entry(term, /* isOfReplicas= */ false));
      leader = candidate;
    }
  }

  private void replicate(Node from, Node to) {
    if (from == to || to.term > from.term || from.lastTerm() != from.term) {
      return; // deposed, or never a leader
    }
    to.term = from.term;
    int same =
        IntStream.range(0, Math.min(from.log.size(), to.log.size()))
            .filter(i -> !from.log.get(i).equals(to.log.get(i)))
            .findFirst()
            .orElse(Math.min(from.log.size(), to.log.size()));
    if (same < to.log.size()) {
      to.truncate(same);
    }
    to.log.addAll(from.log.subList(same, from.log.size()));
    from.committed = Math.max(from.committed, from.last()); // on two of three, of its own term
    to.committed = Math.max(to.committed, from.committed - random.nextInt(2));
  }

  private void step() {
    Node first = nodes.get(leader);
    switch (random.nextInt(10)) {
      case 0, 1 -> elect();
      case 2 -> nodes.get(random.nextInt(3)).kill(random);
      case 3, 4 -> {
        if (first.lastTerm() == first.term) {
          first.log.add(new Entry(first.term, /* isOfReplicas= */ true));
        }
      }
      case 5, 6, 7 -> replicate(first, nodes.get(random.nextInt(3)));
      default -> nodes.forEach(Node::applyCommitted);
    }
  }

  @Test
  void noReplicaIsRefusedInTheFirstMoments() {
    int replacedFirst = 0;
    for (int seed = 0; seed < STARTS; seed++) {
      random = new Random(seed);
      nodes.clear();
      IntStream.range(0, 3).forEach(_ -> nodes.add(new Node()));
      Entry first = null;
      boolean isReplaced = false;
      for (int step = 0; step < STEPS; step++) {
        step();
        for (Node each : nodes) {
          if (!each.log.isEmpty()) {
            isReplaced |= first != null && !first.equals(each.log.getFirst());
            first = first == null ? each.log.getFirst() : first;
          }
          assertThat(each.refused).as("seed %d, step %d", seed, step).isEmpty();
        }
      }
      replacedFirst += isReplaced ? 1 : 0;
      TreeMap<Long, Long> all = new TreeMap<>();
      nodes.forEach(
          each -> each.replica.forEach((index, term) -> all.merge(index, term, this::same)));
    }
    assertThat(replacedFirst).isGreaterThan(STARTS / 10);
  }

  private long same(long one, long other) {
    assertThat(other).isEqualTo(one);
    return one;
  }
}
