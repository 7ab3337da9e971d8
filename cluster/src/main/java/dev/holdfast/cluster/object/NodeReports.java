package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.call.CallTransport;
import dev.holdfast.cluster.call.DirectCalls;
import dev.holdfast.cluster.call.IncomingCall;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.spi.log.NodeId;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What nodes say of themselves to each other. Thread-safe. */
public final class NodeReports {

  /** In the place of a namespace, in a call; no namespace can have this name. */
  public static final String TARGET = "$node";

  private static final ObjectId NO_OBJECT = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);

  private final NodeId self;
  private final Executor answers;
  private final RemoteInterface methods;
  private final Supplier<Map<String, @Nullable Object>> own;

  /** What a node is asked for. */
  @FunctionalInterface
  public interface Reporter {

    /** {@return the answer to {@code cluster-status}, as {@link ShardAnswers} writes it} */
    byte[] status();
  }

  /**
   * Creates it for a node.
   *
   * @param self this node
   * @param references the addresses of this node
   * @param answers runs what blocks
   * @param own the answer of this node
   */
  public NodeReports(
      NodeId self,
      References references,
      Executor answers,
      Supplier<Map<String, @Nullable Object>> own) {
    this.self = self;
    this.answers = answers;
    this.own = own;
    this.methods =
        new RemoteInterface(TARGET, Reporter.class, StructuredClone.standard(), references);
  }

  /**
   * Answers a call of another node. Does not block.
   *
   * @param call names {@link #TARGET}
   */
  public void answer(IncomingCall call) {
    Reporter reporter = () -> ShardAnswers.write(own.get());
    answers.execute(
        () -> call.answerBy(() -> DirectCalls.answer(call, self, methods, () -> reporter)));
  }

  /**
   * Asks another node.
   *
   * @param node the node
   * @param transport brings calls to nodes
   * @param time the clock
   * @param timeoutNanos how long the node is waited for
   * @return its answer
   * @throws ClusterException if it gives none
   */
  public Map<String, @Nullable Object> of(
      NodeId node, CallTransport transport, TimeSource time, long timeoutNanos) {
    RemoteMethod status =
        methods
            .method("status()")
            .orElseThrow(() -> new AssertionError("The interface has no method status()"));
    Object said =
        new DirectCalls(TARGET, methods, transport, time, timeoutNanos)
            .call(node, NO_OBJECT, status, List.of().toArray());
    return said instanceof byte[] bytes ? ShardAnswers.members(bytes) : Map.of();
  }
}
