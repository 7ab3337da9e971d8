package dev.holdfast.runtime;

import dev.holdfast.TimeSource;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.event.Subscription;
import dev.holdfast.runtime.internal.outbox.Listeners;
import dev.holdfast.runtime.internal.report.EventLog;
import dev.holdfast.spi.ObjectKey;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The listeners of a process that has the objects of several runtimes, or of none: what their
 * objects publish is passed to it. Thread-safe.
 */
public final class EventListeners {

  private final Listeners listeners;

  /** Takes what the objects of a runtime publish; see {@link EngineBuilder#published}. */
  @FunctionalInterface
  public interface Relay {

    /**
     * Passes an event on. Called for the events of one object one after the other, each when its
     * turn is durable.
     *
     * @param key the object
     * @param topic the topic
     * @param value the encoded event
     */
    void publish(ObjectKey key, String topic, byte[] value);
  }

  /**
   * Creates it without listeners.
   *
   * @param log receives failures of listeners
   * @param time the clock
   * @param values what reads the values of a namespace, by its name
   */
  public EventListeners(
      System.Logger log, TimeSource time, Function<String, StructuredClone> values) {
    this.listeners = new Listeners(new EventLog(log, time), values::apply);
  }

  /**
   * Adds a listener; see {@link dev.holdfast.ObjectRuntime#subscribe}.
   *
   * @param <T> the type of the events
   * @param topic the topic
   * @param type the type of the events
   * @param listener receives them
   * @return removes it
   * @throws IllegalArgumentException if the topic is too long or empty
   */
  public <T> Subscription subscribe(String topic, Type type, Consumer<? super T> listener) {
    return listeners.add(topic, type, listener);
  }

  /**
   * {@return whether a topic has a listener}
   *
   * @param topic the topic
   */
  public boolean isHeard(String topic) {
    return listeners.isHeard(topic);
  }

  /** {@return the topics that have listeners, as a copy} */
  public Set<String> topics() {
    return listeners.topics();
  }

  /**
   * Passes an event to the listeners of its topic, one after the other.
   *
   * @param key the object
   * @param topic the topic
   * @param value the encoded event
   */
  public void publish(ObjectKey key, String topic, byte[] value) {
    listeners.publish(key, topic, value);
  }
}
