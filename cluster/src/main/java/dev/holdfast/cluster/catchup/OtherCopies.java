package dev.holdfast.cluster.catchup;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectId;
import dev.holdfast.TimeSource;
import dev.holdfast.cluster.call.CallTransport;
import dev.holdfast.cluster.call.DirectCalls;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.status.FetchEvent;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.cluster.value.RemoteMethod;
import dev.holdfast.journal.image.ReplicaImage;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ReplicaState;
import dev.holdfast.journal.shard.ShardHost;
import dev.holdfast.spi.log.NodeId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a shard on other nodes: all are asked what they have, and the one that has most
 * gives its segments. Only the owner gives files of objects; while it does, it is asked for the
 * rest as well, because it keeps what belongs to them. Confined to one thread.
 */
final class OtherCopies implements ReplicaSource {

  private static final Logger LOG = System.getLogger("dev.holdfast");

  /** A node that has not answered by then does not. */
  private static final long TIMEOUT_NANOS = 10_000_000_000L;

  private final int shard;
  private final List<NodeId> nodes;
  private final ObjectId place;
  private final DirectCalls calls;
  private final CopyRate rate;
  private final NodeCounters counters;
  private final RemoteMethod state;
  private final RemoteMethod read;
  private final RemoteMethod purged;
  private final RemoteMethod image;
  private final RemoteMethod readImage;
  private final RemoteMethod releaseImage;

  private final Source source;

  /** The one that had most when it was asked last. */
  private @Nullable NodeId best;

  /** Which node gives the segments of a shard, over several tries. Thread-safe. */
  static final class Source {

    private @Nullable NodeId chosen;
    private @Nullable NodeId avoided;

    /** The node that was chosen last gave something damaged. */
    synchronized void avoid() {
      avoided = chosen;
    }

    /** {@return the node that is not chosen now, if there is another one; only once} */
    synchronized @Nullable NodeId takeAvoided() {
      NodeId taken = avoided;
      avoided = null;
      return taken;
    }

    synchronized void choose(NodeId node) {
      chosen = node;
    }
  }

  /** The owner, as the one with most has said. */
  private @Nullable String owner;

  /** The one whose image is read; null if none is. */
  private @Nullable NodeId giver;

  OtherCopies(
      int shard,
      List<NodeId> nodes,
      ObjectId place,
      CallTransport transport,
      RemoteInterface methods,
      TimeSource time,
      CopyRate rate,
      NodeCounters counters,
      Source source) {
    this.shard = shard;
    this.source = source;
    this.nodes = nodes;
    this.place = place;
    this.calls = new DirectCalls(Copies.TARGET, methods, transport, time, TIMEOUT_NANOS);
    this.rate = rate;
    this.counters = counters;
    this.state = named(methods, "state(long)");
    this.read = named(methods, "read(long,long)");
    this.purged = named(methods, "purged()");
    this.image = named(methods, "image()");
    this.readImage = named(methods, "readImage(long,int,long)");
    this.releaseImage = named(methods, "releaseImage(long)");
  }

  private static RemoteMethod named(RemoteInterface methods, String text) {
    return methods
        .method(text)
        .orElseThrow(() -> new AssertionError("The interface has no method " + text));
  }

  /**
   * {@inheritDoc}
   *
   * @throws ClusterException if no other node says what it has
   */
  @Override
  public ReplicaState state(long segment) {
    best = null;
    NodeId only = giver;
    NodeId avoided = only == null ? source.takeAvoided() : null;
    List<RuntimeException> failures = new ArrayList<>();
    List<NodeId> preferred =
        only == null
            ? nodes.stream().filter(each -> !each.equals(avoided)).toList()
            : List.of(only);
    ReplicaState most = askedOf(preferred, segment, failures);
    if (most == null && avoided != null) {
      most = askedOf(List.of(avoided), segment, failures);
    }
    if (best != null) {
      source.choose(best);
    }
    owner = most == null ? null : most.owner();
    if (most == null) {
      throw new ClusterException(
          Reason.UNREACHABLE,
          "No other node says what it has of the shard. It is asked again; start the others.",
          failures.isEmpty() ? null : failures.getLast());
    }
    return most;
  }

  /** {@return what the node says that has most; null if none says anything} */
  private @Nullable ReplicaState askedOf(
      List<NodeId> asked, long segment, List<RuntimeException> failures) {
    ReplicaState most = null;
    for (NodeId each : asked) {
      try {
        ReplicaState said = (ReplicaState) call(each, state, segment);
        if (said != null && (most == null || said.index() > most.index())) {
          most = said;
          best = each;
        }
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }
    return most;
  }

  /**
   * {@inheritDoc}
   *
   * @throws ClusterException if the node that was chosen is not reached any more
   * @throws IllegalStateException if none was
   */
  @Override
  public byte[] read(long segment, long offset) {
    NodeId from = best;
    if (from == null) {
      throw new IllegalStateException("No node was asked what it has.");
    }
    return fetch(from, read, segment, offset);
  }

  /**
   * {@inheritDoc}
   *
   * @throws ClusterException if no other node gives one now
   */
  @Override
  public ReplicaImage image() {
    RuntimeException last = null;
    // One that was deposed and has not heard of it gives files, too, and not the rest.
    List<NodeId> ownerFirst =
        nodes.stream()
            .sorted(Comparator.comparing((NodeId each) -> !each.name().equals(owner)))
            .toList();
    for (NodeId each : ownerFirst) {
      try {
        ReplicaImage given = (ReplicaImage) call(each, image);
        if (given != null) {
          giver = each;
          return given;
        }
      } catch (RuntimeException e) {
        if (last != null) {
          e.addSuppressed(last);
        }
        last = e;
      }
    }
    throw new ClusterException(
        Reason.UNREACHABLE,
        "No other node gives files of the shard now. It is asked again; the shard needs an owner.",
        last);
  }

  /**
   * {@inheritDoc}
   *
   * @throws ClusterException if the node that gives it is not reached any more
   * @throws IllegalStateException if none does
   */
  @Override
  public byte[] readImage(long imageId, int file, long offset) {
    return fetch(giving(), readImage, imageId, file, offset);
  }

  /** {@inheritDoc} A node that does not hear of it gives it up after a while. */
  @Override
  public void releaseImage(long imageId) {
    try {
      call(giving(), releaseImage, imageId);
    } catch (HoldfastException e) {
      LOG.log(Level.DEBUG, "An image of a shard was not given back.", e);
    }
    giver = null;
  }

  /** Asks all what they have purged; the first that does not say it is the answer. */
  void askPurged(ShardHost.PurgedAnswer answer) {
    long done = Long.MAX_VALUE;
    long segments = Long.MAX_VALUE;
    NodeId last = null;
    for (NodeId each : nodes) {
      try {
        Object said = call(each, purged);
        long index = said instanceof Long number ? number : 0;
        last = last == null || Math.max(0, index) < done ? each : last;
        done = Math.min(done, Math.max(0, index));
        segments = Math.min(segments, Math.abs(index));
      } catch (RuntimeException e) {
        answer.failed(
            new ClusterException(
                Reason.UNREACHABLE,
                "Node " + each + " does not say what it has purged (" + e.getMessage() + ").",
                e));
        return;
      }
    }
    answer.said(done, segments, last);
  }

  private NodeId giving() {
    NodeId from = giver;
    if (from == null) {
      throw new IllegalStateException("No node gives files.");
    }
    return from;
  }

  private byte[] fetch(NodeId node, RemoteMethod method, Object... arguments) {
    FetchEvent event = FetchEvent.begun();
    byte[] given = (byte[]) call(node, method, arguments);
    byte[] bytes = given == null ? new byte[0] : given;
    counters.fetched(bytes.length);
    if (event != null) {
      event.end(shard, node, bytes.length);
    }
    rate.fetched(bytes.length);
    return bytes;
  }

  private @Nullable Object call(NodeId node, RemoteMethod method, Object... arguments) {
    return calls.call(node, place, method, arguments);
  }
}
