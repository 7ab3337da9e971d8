package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectStub;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.runtime.Thing;
import dev.holdfast.runtime.internal.jfr.ActivationEvent;
import dev.holdfast.runtime.internal.jfr.AlarmRunEvent;
import dev.holdfast.runtime.internal.jfr.CallEvent;
import dev.holdfast.runtime.internal.jfr.EvictionEvent;
import dev.holdfast.runtime.internal.jfr.GateWaitEvent;
import dev.holdfast.runtime.internal.jfr.ResetEvent;
import dev.holdfast.runtime.internal.jfr.TurnEvent;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Provokes each kind of event of the call side once, and reads its fields. */
class ObjectEventsTest {

  private static final String PREFIX = "dev.holdfast.";

  private static final List<String> KINDS =
      List.of("Call", "Turn", "GateWait", "Activation", "Eviction", "Reset", "AlarmRun");

  @TempDir Path directory;

  /** Code that is recorded. */
  private interface Work {
    void run(Host host) throws Exception;
  }

  private List<RecordedEvent> record(Host host, String kind, Work work) throws Exception {
    Path file = directory.resolve(kind + ".jfr");
    try (host;
        Recording recording = new Recording()) {
      recording.enable(PREFIX + kind).withoutThreshold();
      recording.start();
      work.run(host);
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .filter(each -> each.getEventType().getName().equals(PREFIX + kind))
        .toList();
  }

  private static void assertIsOf(String name, RecordedEvent event, Host host) {
    assertThat(event.getString("namespace")).isEqualTo(Host.THINGS);
    assertThat(event.getString("objectId")).isEqualTo(host.id(name).toString());
    assertThat(event.getString("objectName")).isEqualTo(name);
  }

  @Test
  void callHasItsOperationAndOutcome() throws Exception {
    Host host = Host.open();
    List<RecordedEvent> events =
        record(
            host,
            "Call",
            _ -> {
              host.call("a", (_, _) -> 1);
              assertThatThrownBy(
                      () ->
                          host.call(
                              "a",
                              (_, _) -> {
                                throw new IllegalStateException("planned");
                              }))
                  .isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(
                      () ->
                          host.call(
                              "a",
                              (_, context) -> {
                                throw context.abort("planned");
                              }))
                  .hasMessageContaining("planned");
            });

    assertThat(events)
        .extracting(each -> each.getString("outcome"))
        .containsExactly("RETURNED", "THREW", "RESET");
    assertThat(events).allSatisfy(each -> assertIsOf("a", each, host));
    assertThat(events).allSatisfy(each -> assertThat(each.getString("operation")).isEqualTo("run"));
    assertThat(events).allSatisfy(each -> assertThat(each.getBoolean("fromObject")).isFalse());
  }

  @Test
  void callOfAnotherObjectSaysSo() throws Exception {
    Host host = Host.open();
    int inner = host.number((_, _) -> 1);
    List<RecordedEvent> events =
        record(
            host,
            "Call",
            _ -> {
              ObjectStub<Thing> other = host.stub("inner");
              host.call("outer", (_, _) -> other.blocking().run(inner));
            });

    assertThat(events)
        .extracting(each -> each.getString("objectName"), each -> each.getBoolean("fromObject"))
        .containsExactly(tuple("inner", true), tuple("outer", false));
  }

  @Test
  void refusedAndWithdrawnCallsAreCalls() throws Exception {
    Host host = Host.with().namespace(NamespaceOptions.DEFAULT.withQueueLengthMax(1)).open();
    List<RecordedEvent> events =
        record(
            host,
            "Call",
            _ -> {
              CountDownLatch inside = new CountDownLatch(1);
              CountDownLatch goOn = new CountDownLatch(1);
              RunningCall busy =
                  host.start(
                      "a",
                      (_, _) -> {
                        inside.countDown();
                        goOn.await();
                        return 0;
                      });
              inside.await();
              RunningCall second = host.start("a", (_, _) -> 0).awaitParked();
              assertThatThrownBy(() -> host.call("a", (_, _) -> 0))
                  .isInstanceOf(ObjectOverloadedException.class);
              second.interrupt();
              assertThatThrownBy(second::get).hasMessageContaining("withdrawn");
              goOn.countDown();
              busy.get();
            });

    assertThat(events)
        .extracting(each -> each.getString("outcome"))
        .containsExactlyInAnyOrder("OVERLOADED", "WITHDRAWN", "RETURNED");
  }

  @Test
  void turnHasTheSizeOfItsBatch() throws Exception {
    Host host = Host.open();
    List<RecordedEvent> events =
        record(
            host,
            "Turn",
            _ ->
                host.call(
                    "a",
                    (_, context) -> {
                      context.storage().put("key", new byte[1000]);
                      context.await(CompletableFuture.completedFuture(1));
                      return 0;
                    }));

    assertThat(events).hasSize(2).allSatisfy(each -> assertIsOf("a", each, host));
    assertThat(events.getFirst().getLong("batchBytes"))
        .isEqualTo(host.runtime.statistics().namespaces().get(Host.THINGS).batchBytes())
        .isGreaterThan(1000);
    assertThat(events.getLast().getLong("batchBytes")).isZero();
  }

  @Test
  void waitsAreThoseAtTheGates() throws Exception {
    InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
    Host host = Host.with().journal(journal).open();
    List<RecordedEvent> events =
        record(
            host,
            "GateWait",
            _ -> {
              CountDownLatch inside = new CountDownLatch(1);
              CountDownLatch goOn = new CountDownLatch(1);
              RunningCall busy =
                  host.start(
                      "a",
                      (_, _) -> {
                        inside.countDown();
                        goOn.await();
                        return 0;
                      });
              inside.await();
              RunningCall queued = host.start("a", (_, _) -> 0).awaitParked();
              goOn.countDown();
              busy.get();
              queued.get();
              RunningCall writing =
                  host.start(
                          "a",
                          (_, context) -> {
                            context.storage().put("key", 1L);
                            return 0;
                          })
                      .awaitParked();
              journal.makeDurable(journal.lastPosition());
              writing.get();
            });

    assertThat(events).allSatisfy(each -> assertIsOf("a", each, host));
    assertThat(events)
        .extracting(each -> each.getString("gate"))
        .containsExactlyInAnyOrder("INPUT", "OUTPUT");
  }

  @Test
  void activationAndEvictionNameTheirObject() throws Exception {
    Host host = Host.open();
    List<RecordedEvent> activations =
        record(
            host,
            "Activation",
            _ -> {
              host.call("a", (_, _) -> 1);
              host.call("b", (_, _) -> 1);
            });
    assertThat(activations).hasSize(2);
    assertIsOf("a", activations.getFirst(), host);
    assertIsOf("b", activations.getLast(), host);

    Host idle = Host.open();
    List<RecordedEvent> evictions =
        record(
            idle,
            "Eviction",
            _ -> {
              idle.call("a", (_, _) -> 1);
              idle.call("b", (_, _) -> 1);
              idle.runtime.admin().evict(Host.THINGS, idle.id("a"));
            });
    assertThat(evictions).hasSize(1);
    assertIsOf("a", evictions.getFirst(), idle);
  }

  @Test
  void resetHasItsReasonAndTheClassOfItsCause() throws Exception {
    Host host = Host.open();
    List<RecordedEvent> events =
        record(
            host,
            "Reset",
            _ -> {
              host.call("a", (_, _) -> 1);
              host.runtime.admin().reset(Host.THINGS, host.id("a"));
              assertThatThrownBy(
                      () ->
                          host.call(
                              "a",
                              (_, _) -> {
                                throw new StackOverflowError("planned");
                              }))
                  .hasMessageContaining("ran out");
            });

    assertThat(events).allSatisfy(each -> assertIsOf("a", each, host));
    assertThat(events)
        .extracting(each -> each.getString("reason"))
        .containsExactly("ADMINISTRATION", "EXHAUSTED");
    assertThat(events.getFirst().getClass("cause")).isNull();
    assertThat(events.getLast().getClass("cause").getName())
        .isEqualTo(StackOverflowError.class.getName());
  }

  @Test
  void nothingIsMadeWhileAnEventIsOff() {
    try (Recording recording = new Recording()) {
      for (String kind : KINDS) {
        recording.disable(PREFIX + kind);
      }
      recording.enable(PREFIX + "Turn");
      recording.start();

      assertThat(TurnEvent.begun()).isNotNull();
      assertThat(CallEvent.begun()).isNull();
      assertThat(GateWaitEvent.begun()).isNull();
      assertThat(ActivationEvent.begun()).isNull();
      assertThat(EvictionEvent.begun()).isNull();
      assertThat(ResetEvent.begun()).isNull();
      assertThat(AlarmRunEvent.begun()).isNull();
    }
    assertThat(TurnEvent.begun()).isNull();
  }

  @Test
  void everyKindHasALabelADescriptionAndACategory() {
    List<Class<? extends Event>> kinds =
        List.of(
            CallEvent.class,
            TurnEvent.class,
            GateWaitEvent.class,
            ActivationEvent.class,
            EvictionEvent.class,
            ResetEvent.class,
            AlarmRunEvent.class);

    assertThat(kinds)
        .map(EventType::getEventType)
        .allSatisfy(
            each -> {
              assertThat(each.getLabel()).isNotBlank();
              assertThat(each.getDescription()).isNotBlank();
              assertThat(each.getCategoryNames()).containsExactly("Holdfast", "Objects");
              assertThat(each.getFields())
                  .allSatisfy(field -> assertThat(field.getLabel()).isNotBlank());
            })
        .extracting(EventType::getName)
        .containsExactlyElementsOf(KINDS.stream().map(PREFIX::concat).toList());
  }
}
