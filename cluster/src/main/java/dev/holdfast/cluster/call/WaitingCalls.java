package dev.holdfast.cluster.call;

import dev.holdfast.cluster.frame.Frame;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.RemoteCaller;
import dev.holdfast.runtime.RemoteWait;
import dev.holdfast.spi.log.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The executions of this node that wait for calls of other nodes. A call carries those that wait
 * for it, so that one that comes back behind a critical section of its own caller is refused at
 * once. Thread-safe.
 */
public final class WaitingCalls {

  private final NodeId self;
  private final AtomicLong last;
  private final Map<Long, RemoteWait> waits = new ConcurrentHashMap<>();

  /**
   * Creates the waits of a node.
   *
   * @param self the node
   * @param first the number before the first: another one for each opening of the node, so that a
   *     call that an earlier one has left is not taken for one of this
   */
  public WaitingCalls(NodeId self, long first) {
    this.self = self;
    this.last = new AtomicLong(first);
  }

  /**
   * Returns what a call carries that the calling thread makes.
   *
   * @return those that wait for it, the outermost first; empty if the thread runs no object
   * @throws MisuseException if too many calls wait for each other
   */
  public List<RemoteCaller> chain() {
    List<RemoteCaller> chain =
        RemoteWait.callers(
            (namespace, id, inSection) ->
                new RemoteCaller(self, last.incrementAndGet(), namespace, id, inSection));
    if (chain.size() > Frame.CHAIN_MAX) {
      RemoteCaller innermost = chain.getLast();
      throw new MisuseException(
          innermost.namespace(),
          innermost.id(),
          MisuseException.Reason.NESTED_TOO_DEEPLY,
          "Calls between objects of several nodes are nested too deeply; at most "
              + Frame.CHAIN_MAX
              + " may wait for each other. Look for objects that call each other in a circle.");
    }
    return chain;
  }

  /**
   * Makes a call of another node, outside of the turn of the object that makes it.
   *
   * @param <T> the result
   * @param chain what the call carries
   * @param call makes it
   * @return its result
   * @throws Exception whatever it throws
   */
  public <T extends @Nullable Object> T await(List<RemoteCaller> chain, Callable<T> call)
      throws Exception {
    try (RemoteWait wait = chain.isEmpty() ? null : RemoteWait.begin()) {
      if (wait == null) {
        return call.call();
      }
      long number = chain.getLast().execution();
      waits.put(number, wait);
      try {
        return call.call();
      } finally {
        waits.remove(number);
      }
    }
  }

  /**
   * Makes a call of an object here that another node has sent.
   *
   * @param <T> the result
   * @param chain what the call carries
   * @param call calls the object, on this thread
   * @return its result
   * @throws Exception whatever it throws
   */
  public <T extends @Nullable Object> T callFor(List<RemoteCaller> chain, Callable<T> call)
      throws Exception {
    List<RemoteWait> here =
        chain.stream()
            .filter(each -> each.node().equals(self))
            .map(each -> waits.get(each.execution()))
            .filter(Objects::nonNull)
            .toList();
    return RemoteWait.callFor(chain, here, call);
  }
}
