package dev.holdfast.cluster.object;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.call.CallTransport;
import dev.holdfast.cluster.call.DirectCalls;
import dev.holdfast.cluster.call.IncomingCall;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.spi.log.NodeId;
import java.lang.reflect.Proxy;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks other nodes for what a node does for others, and answers them. Thread-safe. */
public final class NodeReports {

  /** In the place of a namespace, in a call; no namespace can have this name. */
  public static final String TARGET = "$node";

  private static final ObjectId NO_OBJECT = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);
  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final NodeId self;
  private final Executor answers;
  private final RemoteInterface methods;
  private final Supplier<NodeService> own;

  /**
   * Creates it for a node.
   *
   * @param self this node
   * @param references the addresses of this node
   * @param answers runs what blocks
   * @param own what this node does for others; throws while it is opened
   */
  public NodeReports(
      NodeId self, References references, Executor answers, Supplier<NodeService> own) {
    this.self = self;
    this.answers = answers;
    this.own = own;
    this.methods =
        new RemoteInterface(TARGET, NodeService.class, StructuredClone.standard(), references);
  }

  /**
   * Answers a call of another node. Does not block.
   *
   * @param call names {@link #TARGET}
   */
  public void answer(IncomingCall call) {
    answers.execute(() -> call.answerBy(() -> DirectCalls.answer(call, self, methods, own)));
  }

  /**
   * Finds another node. Its methods block, and throw {@link
   * dev.holdfast.cluster.errors.ClusterException} if it does not answer or cannot do it.
   *
   * @param node the node
   * @param transport brings calls to nodes
   * @param time the clock
   * @param timeoutNanos how long an answer is waited for
   * @return what the node does for others
   */
  public NodeService at(NodeId node, CallTransport transport, TimeSource time, long timeoutNanos) {
    DirectCalls calls = new DirectCalls(TARGET, methods, transport, time, timeoutNanos);
    return (NodeService)
        Proxy.newProxyInstance(
            NodeService.class.getClassLoader(),
            new Class<?>[] {NodeService.class},
            (_, method, arguments) ->
                calls.call(
                    node,
                    NO_OBJECT,
                    methods.method(method),
                    arguments == null ? NO_ARGUMENTS : arguments));
  }
}
