package dev.holdfast.cluster;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.cluster.shard.OpenShards;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.event.Subscription;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** The events of the objects of this node, while it owns them. Thread-safe. */
final class NodeEvents {

  private final OpenShards open;

  /** Topic and name of each consumer that runs on this node, even if it owns no shard now. */
  private final Set<List<String>> consumers = ConcurrentHashMap.newKeySet();

  NodeEvents(OpenShards open) {
    this.open = open;
  }

  /**
   * Begins on each shard, once on this node.
   *
   * @param topic the topic
   * @param consumer the name of the consumer
   * @param beginning on the runtime of one
   */
  Subscription consume(
      String topic, String consumer, Function<ObjectRuntime, Subscription> beginning) {
    List<String> key = List.of(topic, consumer);
    if (!consumers.add(key)) {
      throw new ConsumerException(
          ConsumerException.Reason.RUNNING,
          topic,
          consumer,
          "The consumer \""
              + consumer
              + "\" of \""
              + topic
              + "\" runs already on this node. Close its subscription first.");
    }
    try {
      Runnable end = open.begin(beginning);
      return once(
          () -> {
            end.run();
            consumers.remove(key);
          });
    } catch (RuntimeException e) {
      consumers.remove(key);
      throw e;
    }
  }

  private static Subscription once(Runnable end) {
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) {
        end.run();
      }
    };
  }
}
