package dev.holdfast.cluster.call;

import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.frame.RefusalReason;
import dev.holdfast.cluster.value.Failures;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.cluster.value.UnreadableValueException;
import dev.holdfast.spi.log.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls of a node itself, whichever shards it owns.
 *
 * @param target in the place of a namespace; no namespace can have this name
 * @param methods what can be called
 * @param transport brings calls to the nodes
 * @param time limits how long a node is waited for
 * @param timeoutNanos a node that has not answered by then does not
 */
public record DirectCalls(
    String target,
    RemoteInterface methods,
    CallTransport transport,
    TimeSource time,
    long timeoutNanos) {

  /**
   * Calls a node. Blocks, not longer than the time-out.
   *
   * @param node the node
   * @param place an id, which may mean something to the node
   * @param method one of the methods
   * @param arguments its arguments
   * @return what the node returns
   * @throws ClusterException if the node does not answer, or says that it cannot
   */
  public @Nullable Object call(
      NodeId node, ObjectId place, RemoteMethod method, @Nullable Object... arguments) {
    CallUnderWay call =
        new CallUnderWay(
            target,
            place,
            method.text(),
            List.of(),
            List.of(),
            method.writeArguments(place, arguments));
    PendingCall sent = transport.send(node, call, timeoutNanos);
    // A node whose disk hangs answers nothing and stays connected.
    CompletableFuture<CallOutcome> limited = sent.outcome().copy();
    time.schedule(
        timeoutNanos,
        () -> {
          if (limited.completeExceptionally(tooLate(node))) {
            sent.cancel();
          }
        });
    CallOutcome outcome;
    try {
      outcome = limited.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof ClusterException late ? late : e;
    }
    switch (outcome) {
      case CallOutcome.Replied replied -> {
        try {
          return method.readResult(replied.value());
        } catch (UnreadableValueException e) {
          throw new ClusterException(
              Reason.PROTOCOL, "Node " + node + " answers what cannot be read here.", e);
        }
      }
      case CallOutcome.Failed failed -> {
        Throwable why = Failures.remake(failed.thrown(), node, target, place, method.method());
        throw new ClusterException(
            Reason.UNREACHABLE,
            "Node "
                + node
                + " could not do what it was asked for. "
                + (why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage()),
            why);
      }
      case CallOutcome.Unknown unknown -> throw unknown.why();
      case CallOutcome.NotSent notSent -> throw notSent.why();
      case CallOutcome.RefusedCall refused when isUnknown(refused.reason()) ->
          throw new ClusterException(
              Reason.VERSION,
              "Node " + node + " runs an older version, which does not know this. Upgrade it.",
              null);
      case CallOutcome.RefusedCall refused when refused.reason() == RefusalReason.NOT_ALLOWED ->
          throw new ClusterException(Reason.NOT_ALLOWED, refused.message(), null);
      case CallOutcome.NotBegun notBegun ->
          throw new ClusterException(
              Reason.UNREACHABLE, "Node " + node + " does not answer: " + notBegun + ".", null);
    }
  }

  private static boolean isUnknown(RefusalReason reason) {
    return reason == RefusalReason.UNKNOWN_NAMESPACE || reason == RefusalReason.UNKNOWN_METHOD;
  }

  private static ClusterException tooLate(NodeId node) {
    return new ClusterException(
        Reason.UNREACHABLE, "Node " + node + " does not answer in time.", null);
  }

  /**
   * Answers a call of another node. Blocks.
   *
   * @param call names the target
   * @param self this node
   * @param methods what can be called
   * @param called has the methods
   */
  public static void answer(
      IncomingCall call, NodeId self, RemoteInterface methods, Supplier<?> called) {
    Optional<RemoteMethod> method = methods.method(call.method());
    if (method.isEmpty()) {
      call.refuse(
          RefusalReason.UNKNOWN_METHOD,
          "Node " + self + " has another version, without " + call.method() + ".");
      return;
    }
    @Nullable Object[] arguments;
    try {
      arguments = method.get().readArguments(call.arguments());
    } catch (UnreadableValueException | RuntimeException | Error e) {
      call.refuse(RefusalReason.ARGUMENTS, String.valueOf(e.getMessage()));
      return;
    }
    try {
      Object result = method.get().method().invoke(called.get(), arguments);
      call.reply(method.get().writeResult(call.id(), result));
    } catch (ReflectiveOperationException e) {
      call.fail(Failures.describe(e.getCause() == null ? e : e.getCause()));
    } catch (RuntimeException | Error e) {
      call.fail(Failures.describe(e));
    }
  }
}
