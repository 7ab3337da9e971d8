package dev.holdfast.micrometer;

import dev.holdfast.event.ConsumerStatus;
import java.util.concurrent.TimeUnit;

/** The meters of one consumer of emitted events. */
final class ConsumerMeters {

  private ConsumerMeters() {}

  static void register(Meters<ConsumerStatus> meters) {
    meters.gauge(
        "holdfast.consumer.lag.records",
        "records",
        "Durable records of the journal that the consumer has not passed",
        ConsumerStatus::lagRecords);
    meters.time(
        "holdfast.consumer.lag",
        "The age of the oldest event that is being delivered",
        TimeUnit.MILLISECONDS,
        ConsumerStatus::lagMillis);
    meters.counter(
        "holdfast.consumer.events",
        "events",
        "Events that were handled",
        ConsumerStatus::handledEvents);
    meters.counter(
        "holdfast.consumer.failures",
        "failures",
        "Deliveries that have failed, with another try to follow",
        ConsumerStatus::failedDeliveries);
    meters.gauge(
        "holdfast.consumer.running",
        null,
        "1 while the consumer has a handler",
        status -> status.isRunning() ? 1 : 0);
    meters.gauge(
        "holdfast.consumer.cut.off",
        null,
        "1 if the consumer was too far behind and receives nothing",
        status -> status.isCutOff() ? 1 : 0);
  }
}
