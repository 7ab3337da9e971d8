package dev.holdfast.runtime.internal.outbox;

import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.event.Subscription;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.LogEvent;
import dev.holdfast.spi.ObjectKey;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The listeners in this process, by topic. Thread-safe. */
public final class Listeners {

  private final EventLog log;
  private final EventValues values;
  private final Map<String, List<Listener<?>>> byTopic = new ConcurrentHashMap<>();

  /**
   * Creates it without listeners.
   *
   * @param log receives failures
   * @param values reads events
   */
  public Listeners(EventLog log, EventValues values) {
    this.log = log;
    this.values = values;
  }

  /** Two with the same code are two. */
  private static final class Listener<T> {
    private final Type type;
    private final Consumer<? super T> code;

    Listener(Type type, Consumer<? super T> code) {
      this.type = type;
      this.code = code;
    }

    @SuppressWarnings("unchecked") // the type that the listener was added with
    void accept(StructuredClone values, byte[] value) {
      code.accept((T) Objects.requireNonNull(values.decode(value, type)));
    }
  }

  /**
   * {@return whether a topic has a listener}
   *
   * @param topic the topic
   */
  public boolean isHeard(String topic) {
    return byTopic.containsKey(topic);
  }

  /** {@return the topics that have listeners, as a copy} */
  public Set<String> topics() {
    return Set.copyOf(byTopic.keySet());
  }

  /**
   * Adds a listener; see {@link dev.holdfast.ObjectRuntime#subscribe}.
   *
   * @param <T> the type of the events
   * @param topic the topic
   * @param type the type of the events
   * @param code receives them
   * @return removes it
   * @throws IllegalArgumentException if the topic is too long or empty
   */
  public <T> Subscription add(String topic, Type type, Consumer<? super T> code) {
    Outbox.require("topic", topic);
    Listener<T> listener = new Listener<>(type, code);
    // Inside the operation of the map: else a list that becomes empty could be dropped meanwhile.
    byTopic.compute(
        topic,
        (_, known) -> {
          List<Listener<?>> listeners = known == null ? new CopyOnWriteArrayList<>() : known;
          listeners.add(listener);
          return listeners;
        });
    return () ->
        byTopic.computeIfPresent(
            topic,
            (_, listeners) -> {
              listeners.remove(listener);
              return listeners.isEmpty() ? null : listeners;
            });
  }

  /**
   * Passes an event to the listeners of its topic, one after the other.
   *
   * @param key the object
   * @param topic the topic
   * @param value the encoded event
   */
  public void publish(ObjectKey key, String topic, byte[] value) {
    for (Listener<?> listener : byTopic.getOrDefault(topic, List.of())) {
      try {
        listener.accept(values.of(key.namespace()), value);
      } catch (Throwable e) {
        // Code of the application may throw anything; the next listener is not affected.
        log.log(
            LogEvent.ACTION_FAILED,
            key,
            () ->
                "A listener of topic \""
                    + topic
                    + "\" failed with an event of "
                    + key
                    + ". It is not repeated.",
            e);
      }
    }
  }
}
