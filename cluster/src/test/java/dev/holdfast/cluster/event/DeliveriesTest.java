package dev.holdfast.cluster.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.cluster.event.Deliveries.Batch;
import dev.holdfast.spi.ObjectKey;
import dev.holdfast.spi.log.NodeId;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Events of an object reach listeners in its order, whichever nodes have sent them. */
final class DeliveriesTest {

  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");

  private final List<String> heard = new ArrayList<>();
  private final ArrayDeque<Runnable> later = new ArrayDeque<>();
  private final AtomicInteger leftOut = new AtomicInteger();
  private final Deliveries deliveries =
      new Deliveries(event -> heard.add(event.topic()), later::add, leftOut::incrementAndGet);

  private static PublishedEvent event(int object, long epoch, String topic) {
    byte[] id = new byte[ObjectId.LENGTH_BYTES];
    id[0] = (byte) object;
    return new PublishedEvent(
        7, epoch, new ObjectKey("things", ObjectId.of(id, null)), topic, ByteBuffer.allocate(10));
  }

  private void runAll() {
    for (Runnable next = later.poll(); next != null; next = later.poll()) {
      next.run();
    }
  }

  @Test
  void eventsAreBytesAndBack() {
    List<PublishedEvent> events = List.of(event(1, 1L << 40, "één"), event(2, 3, "b"));
    List<PublishedEvent> read = PublishedEvent.read(PublishedEvent.write(events));
    assertThat(read).isEqualTo(events);
    byte[] cut = PublishedEvent.write(events);
    for (int length = 1; length < cut.length; length++) {
      byte[] part = Arrays.copyOf(cut, length);
      if (length != PublishedEvent.write(events.subList(0, 1)).length) {
        assertThatThrownBy(() -> PublishedEvent.read(part))
            .isInstanceOf(IllegalArgumentException.class);
      }
    }
  }

  @Test
  void whatTheOwnerBeforeHasSentComesBeforeWhatThisNodePublishes() {
    deliveries.accept(B, new Batch(1, 1), List.of(event(1, 3, "1"), event(2, 3, "x")));
    deliveries.accept(B, new Batch(1, 2), List.of(event(1, 3, "2")));
    deliveries.publish(event(1, 4, "3"));
    assertThat(heard).containsExactly("1", "2", "3");
    runAll();
    assertThat(heard).containsExactly("1", "2", "3", "x");
    assertThat(leftOut).hasValue(0);
  }

  @Test
  void eventOfAnEarlierOwnerThatComesLaterIsLeftOut() {
    deliveries.accept(B, new Batch(1, 1), List.of(event(1, 4, "new")));
    deliveries.accept(C, new Batch(1, 1), List.of(event(1, 3, "old")));
    deliveries.publish(event(1, 3, "old here"));
    runAll();
    assertThat(heard).containsExactly("new");
    assertThat(leftOut).hasValue(2);
  }

  @Test
  void messageThatItsSenderHasGivenUpIsLeftOut() {
    deliveries.accept(B, new Batch(1, 2), List.of(event(1, 3, "2")));
    deliveries.accept(B, new Batch(1, 1), List.of(event(1, 3, "1")));
    deliveries.accept(B, new Batch(1, 2), List.of(event(1, 3, "2")));
    deliveries.accept(B, new Batch(9, 1), List.of(event(1, 3, "of its next process")));
    runAll();
    assertThat(heard).containsExactly("2", "of its next process");
    assertThat(leftOut).hasValue(2);
  }

  @Test
  void slowListenerHoldsUpItsObjectOnlyAndItsEventsAreBounded() {
    for (int i = 0; i < Deliveries.WAITING_OF_OBJECT_MAX + 2; i++) {
      deliveries.accept(B, new Batch(1, i + 1), List.of(event(1, 3, "slow")));
    }
    assertThat(leftOut).hasValue(2);
    Runnable slow = later.remove();
    deliveries.accept(B, new Batch(2, 1), List.of(event(2, 3, "other")));
    runAll();
    assertThat(heard).containsExactly("other");
    slow.run();
    assertThat(heard).hasSize(Deliveries.WAITING_OF_OBJECT_MAX + 1);
  }

  @Test
  void nothingIsDeliveredAfterTheClose() {
    deliveries.accept(B, new Batch(1, 1), List.of(event(1, 3, "1")));
    deliveries.close();
    deliveries.accept(B, new Batch(1, 2), List.of(event(1, 3, "2")));
    runAll();
    assertThat(heard).isEmpty();
  }
}
