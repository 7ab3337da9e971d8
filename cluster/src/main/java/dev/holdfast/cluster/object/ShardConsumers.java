package dev.holdfast.cluster.object;

import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Changes a consumer in all shards. It looks into all of them before it changes one, so that what
 * is refused changes nothing. Thread-safe.
 *
 * @param shards the operations of each
 */
record ShardConsumers(List<ShardOperations> shards) {

  private List<ShardOperations> shardsOf(
      String topic, String consumer, Predicate<ConsumerStatus> isMeant) {
    return shards.stream()
        .filter(
            shard ->
                shard.consumers().stream()
                    .filter(each -> each.topic().equals(topic) && each.name().equals(consumer))
                    .anyMatch(isMeant))
        .toList();
  }

  /** See {@link dev.holdfast.ObjectAdmin#resetConsumer}. */
  void reset(String topic, String consumer, ConsumerStart start) {
    List<ShardOperations> known = shardsOf(topic, consumer, _ -> true);
    // If no shard knows it, the first one says so.
    List<ShardOperations> asked = known.isEmpty() ? List.of(shards.getFirst()) : known;
    asked.forEach(shard -> shard.resetConsumer(topic, consumer, start));
  }

  /** See {@link dev.holdfast.ObjectAdmin#removeConsumer}. */
  boolean remove(String topic, String consumer) {
    // One in which it runs refuses it.
    List<ShardOperations> first = shardsOf(topic, consumer, ConsumerStatus::isRunning);
    return Stream.concat(first.stream(), shards.stream())
        .map(shard -> shard.removeConsumer(topic, consumer))
        .toList()
        .contains(true);
  }
}
