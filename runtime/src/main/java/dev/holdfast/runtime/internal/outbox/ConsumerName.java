package dev.holdfast.runtime.internal.outbox;

import java.util.Comparator;

/**
 * Names a consumer.
 *
 * @param topic its topic
 * @param name its name, unique among the consumers of the topic
 */
public record ConsumerName(String topic, String name) implements Comparable<ConsumerName> {

  private static final Comparator<ConsumerName> ORDER =
      Comparator.comparing(ConsumerName::topic).thenComparing(ConsumerName::name);

  @Override
  public int compareTo(ConsumerName other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return "\"" + name + "\" of topic \"" + topic + "\"";
  }
}
