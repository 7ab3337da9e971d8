package dev.holdfast.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.catchup.Copies;
import dev.holdfast.cluster.catchup.CopyRate;
import dev.holdfast.cluster.status.NodeCounters;
import dev.holdfast.cluster.value.References;
import dev.holdfast.cluster.value.RemoteInterface;
import dev.holdfast.journal.shard.ReplicaSource;
import dev.holdfast.journal.shard.ReplicaState;
import dev.holdfast.spi.log.NodeId;
import dev.holdfast.testkit.VirtualClock;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which of the copies of other nodes gives the segments that this one lacks. */
final class ChosenCopyTest {

  private static final ObjectId PLACE = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);
  private static final References NO_REFERENCES =
      (References)
          Proxy.newProxyInstance(
              References.class.getClassLoader(),
              new Class<?>[] {References.class},
              (_, _, _) -> null);

  private final Map<String, Long> has = new HashMap<>(Map.of("b", 10L, "c", 9L));
  private final List<String> read = new ArrayList<>();
  private final RemoteInterface methods =
      new RemoteInterface(
          Copies.TARGET, ReplicaSource.class, StructuredClone.standard(), NO_REFERENCES);
  private final NodeCounters counters = new NodeCounters();
  private final Copies copies =
      new Copies(
          new NodeId("a"),
          members(),
          _ -> null,
          NO_REFERENCES,
          Runnable::run,
          new VirtualClock(),
          new CopyRate(new VirtualClock(), Long.MAX_VALUE),
          counters);

  private static Members members() {
    List<NodeId> nodes = List.of(new NodeId("a"), new NodeId("b"), new NodeId("c"));
    return (Members)
        Proxy.newProxyInstance(
            Members.class.getClassLoader(), new Class<?>[] {Members.class}, (_, _, _) -> nodes);
  }

  private PendingCall answer(NodeId node, CallUnderWay call, long timeoutNanos) {
    Long index = has.get(node.name());
    if (index == null) {
      return PendingCall.done(new CallOutcome.Withdrawn());
    }
    var method = methods.method(call.method()).orElseThrow();
    if (call.method().startsWith("read")) {
      read.add(node.name());
      return PendingCall.done(new CallOutcome.Replied(method.writeResult(PLACE, new byte[] {1})));
    }
    return PendingCall.done(
        new CallOutcome.Replied(
            method.writeResult(
                PLACE,
                new ReplicaState(
                    1, index, 1, 1, null, 1, 1, 1, 4096, 4096, 1, 0, 0, List.of(1L)))));
  }

  private String chosen() {
    ReplicaSource others = copies.others(3, PLACE, this::answer);
    others.state(0);
    others.read(1, 0);
    return read.getLast();
  }

  @Test
  void nodeThatGaveADamagedSegmentIsNotChosenAgainAtOnce() {
    assertThat(chosen()).isEqualTo("b");
    copies.avoid(PLACE);
    assertThat(chosen()).isEqualTo("c");
    assertThat(chosen()).isEqualTo("b"); // c may have too little
  }

  @Test
  void whatIsReadIsCountedAndRecorded(@TempDir Path directory) throws Exception {
    List<RecordedEvent> events;
    try (Recording recording = new Recording()) {
      recording.enable("dev.holdfast.Fetch").withoutThreshold();
      recording.start();
      chosen();
      recording.stop();
      Path file = directory.resolve("fetches.jfr");
      recording.dump(file);
      events = RecordingFile.readAllEvents(file);
    }

    assertThat(counters.snapshot(0, 0, Map.of(), -1).fetchedBytes()).isEqualTo(1);
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("dev.holdfast.Fetch"))
        .filteredOn(event -> event.getLong("bytes") == 1)
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getInt("shard")).isEqualTo(3);
              assertThat(event.getString("node")).isEqualTo("b");
            });
  }

  @Test
  void nodeThatGaveADamagedSegmentIsChosenIfThereIsNoOther() {
    assertThat(chosen()).isEqualTo("b");
    copies.avoid(PLACE);
    has.remove("c");
    assertThat(chosen()).isEqualTo("b");
  }
}
