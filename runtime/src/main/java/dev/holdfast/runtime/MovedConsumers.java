package dev.holdfast.runtime;

import dev.holdfast.runtime.internal.outbox.ConsumerName;
import dev.holdfast.runtime.internal.outbox.ConsumerRecord;
import dev.holdfast.runtime.internal.outbox.EventPlace;
import dev.holdfast.runtime.internal.outbox.EventTopics;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The places of the consumers of events in a journal that has records of others, in their order. A
 * consumer goes on with the first event there that it had not handled where the event was before.
 * So no event is left out; what it had handled after that one, of another journal, comes again.
 * Confined to one thread.
 */
public final class MovedConsumers {

  private final List<Places> sources;
  private final Set<ConsumerName> names = new TreeSet<>();
  private final Map<ConsumerName, EventPlace> found = new HashMap<>();
  private final List<Integer> here;

  /** The places in one journal. Confined to one thread. */
  public static final class Places {

    /** No event comes back to a consumer that was removed here and is still known elsewhere. */
    private static final EventPlace REMOVED = new EventPlace(Long.MAX_VALUE, 0);

    private final long oldest;
    private final Map<ConsumerName, EventPlace> places = new HashMap<>();

    /**
     * Creates it without a consumer.
     *
     * @param oldest the first position that the journal has
     */
    public Places(long oldest) {
      this.oldest = oldest;
    }

    /**
     * Reads the next record about a consumer. The last one of a consumer counts.
     *
     * @param payload its payload
     * @throws IllegalArgumentException if it is not a record of this version
     */
    public void add(ByteBuffer payload) {
      ConsumerRecord record = ConsumerRecord.decode(payload);
      places.put(record.name(), Objects.requireNonNullElse(record.place(), REMOVED));
    }

    private Stream<ConsumerName> names() {
      return places.keySet().stream().filter(name -> !of(name).equals(REMOVED));
    }

    /** Not even a consumer that nobody knows here has handled what is kept. */
    private EventPlace of(ConsumerName name) {
      return places.getOrDefault(name, new EventPlace(oldest, 0));
    }
  }

  /**
   * Begins a journal.
   *
   * @param sources the places in all journals that were before
   * @param here the numbers of those that may have had records of its objects, also such as they
   *     have dropped
   */
  public MovedConsumers(List<Places> sources, List<Integer> here) {
    this.sources = sources;
    this.here = List.copyOf(here);
    sources.forEach(each -> each.names().forEach(names::add));
  }

  /**
   * Takes the next record of events.
   *
   * @param source the number of the journal that has had it
   * @param position its position there
   * @param payload its payload
   * @param moved its position here
   * @throws IllegalArgumentException if it is not a record of this version
   */
  public void add(int source, long position, ByteBuffer payload, long moved) {
    @Nullable EventTopics topics = null;
    for (ConsumerName name : names) {
      EventPlace place = sources.get(source).of(name);
      if (!found.containsKey(name) && position >= place.position()) {
        topics = topics == null ? EventTopics.of(payload) : topics;
        int handled = position == place.position() ? place.index() : 0;
        if (topics.has(name.topic(), handled)) {
          found.put(name, new EventPlace(moved, handled));
        }
      }
    }
  }

  /**
   * {@return the payloads of the records that say where the consumers are}
   *
   * @param before a position before all records
   * @param end the position after all of them
   */
  public List<ByteBuffer> in(long before, long end) {
    List<ByteBuffer> records = new ArrayList<>();
    for (ConsumerName name : names) {
      EventPlace place =
          isCutOff(name)
              ? new EventPlace(before, 0)
              : found.getOrDefault(name, new EventPlace(end, 0));
      records.add(new ConsumerRecord(name, place).encode());
    }
    return records;
  }

  /** What it had not handled is not kept. */
  private boolean isCutOff(ConsumerName name) {
    return here.stream().map(sources::get).anyMatch(each -> each.of(name).position() < each.oldest);
  }
}
