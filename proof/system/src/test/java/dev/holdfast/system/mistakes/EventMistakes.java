package dev.holdfast.system.mistakes;

import dev.holdfast.ObjectContext;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.Subscription;
import java.util.ArrayList;
import java.util.List;

/** Events, their consumers, and actions after durable turns. */
final class EventMistakes {

  private EventMistakes() {}

  static List<Mistake> all() {
    return List.of(
        emit("an event without a topic", "", "event"),
        emit("a topic that is too long", "t".repeat(256), "event"),
        emit("an event that is too large", "orders", new byte[200_000]),
        emit("an event that cannot be stored", "orders", new Thread()),
        Mistake.of(
            "an event after the turn",
            host -> {
              List<ObjectContext> kept = new ArrayList<>();
              host.inside(Host.PROBES, (context, _) -> kept.add(context));
              kept.getFirst().emit("orders", "event");
            }),
        Mistake.of(
            "a consumer without a name",
            host -> host.runtime().consume("orders", "", String.class, _ -> {})),
        Mistake.of(
            "a consumer that runs twice",
            host -> {
              try (Subscription _ =
                  host.runtime().consume("orders", "index", String.class, _ -> {})) {
                host.runtime().consume("orders", "index", String.class, _ -> {});
              }
            }),
        Mistake.of(
            "the removal of a consumer that runs",
            host -> {
              try (Subscription _ =
                  host.runtime().consume("orders", "mail", String.class, _ -> {})) {
                host.runtime().admin().removeConsumer("orders", "mail");
              }
            }),
        Mistake.of(
            "a new place for a consumer that does not exist",
            host -> host.runtime().admin().resetConsumer("letters", "index", ConsumerStart.NOW)),
        Mistake.of("batches without events", _ -> ConsumerOptions.DEFAULT.withBatchEventsMax(0)));
  }

  private static Mistake emit(String title, String topic, Object event) {
    return Mistake.of(
        title,
        host ->
            host.inside(
                Host.PROBES,
                (context, _) -> {
                  context.emit(topic, event);
                  return null;
                }));
  }
}
