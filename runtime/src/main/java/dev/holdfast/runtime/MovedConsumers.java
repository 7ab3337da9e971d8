package dev.holdfast.runtime;

import dev.holdfast.runtime.internal.outbox.ConsumerName;
import dev.holdfast.runtime.internal.outbox.ConsumerRecord;
import dev.holdfast.runtime.internal.outbox.EventPlace;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The places of the consumers of events in a journal, and where these are in another one that has
 * some of its records. Confined to one thread.
 */
public final class MovedConsumers {

  private final Map<ConsumerName, EventPlace> places = new TreeMap<>();

  /** Creates it without a consumer. */
  public MovedConsumers() {}

  /** Gives the place of a record in another journal. */
  public interface Places {

    /**
     * {@return the position there of the first record that is at a position here or after it; a
     * position before the first record there, if nothing is kept here from the position on}
     *
     * @param position the position here
     */
    long from(long position);

    /**
     * {@return whether the record at a position here is there}
     *
     * @param position the position here
     */
    boolean has(long position);
  }

  /**
   * Reads the next record about a consumer. The last one of a consumer counts.
   *
   * @param payload its payload
   * @throws IllegalArgumentException if it is not a record of this version
   */
  public void add(ByteBuffer payload) {
    ConsumerRecord record = ConsumerRecord.decode(payload);
    @Nullable EventPlace place = record.place();
    if (place == null) {
      places.remove(record.name());
    } else {
      places.put(record.name(), place);
    }
  }

  /** {@return how many consumers there are} */
  public int count() {
    return places.size();
  }

  /**
   * {@return the payloads of the records that say in the other journal where the consumers are}
   *
   * @param other the other journal
   */
  public List<ByteBuffer> in(Places other) {
    return places.entrySet().stream()
        .map(each -> new ConsumerRecord(each.getKey(), moved(each.getValue(), other)).encode())
        .toList();
  }

  private static EventPlace moved(EventPlace place, Places other) {
    int handled = other.has(place.position()) ? place.index() : 0;
    return new EventPlace(other.from(place.position()), handled);
  }
}
