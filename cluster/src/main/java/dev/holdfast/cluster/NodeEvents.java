package dev.holdfast.cluster;

import dev.holdfast.errors.ConsumerException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.Subscription;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The events of the objects of this node, while it owns them. Thread-safe. */
final class NodeEvents {

  private final OpenShards open;

  /** Topic and name of each consumer that runs on this node, even if it owns no shard now. */
  private final Set<List<String>> consumers = ConcurrentHashMap.newKeySet();

  NodeEvents(OpenShards open) {
    this.open = open;
  }

  <T> Subscription subscribe(String topic, Class<T> type, Consumer<? super T> listener) {
    return once(open.begin(runtime -> runtime.subscribe(topic, type, listener)));
  }

  <T> Subscription consume(
      String topic,
      String consumer,
      Class<T> type,
      ConsumerOptions options,
      EventHandler<T> handler) {
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
      Runnable end =
          open.begin(runtime -> runtime.consume(topic, consumer, type, options, handler));
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
