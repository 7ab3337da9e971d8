package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A page of the records of the journal, newest first. Immutable.
 *
 * @param frame what surrounds it
 * @param records the records
 * @param older the newest position of the next page; null on the last one
 * @param shard the shard whose journal it is; null on one machine
 * @param shards the numbers of all shards; none on one machine
 */
public record JournalPage(
    PageFrame frame,
    List<Line> records,
    @Nullable String older,
    @Nullable Long shard,
    List<String> shards) {

  private static final int POSITIONS = 100;

  /**
   * A record.
   *
   * @param position its position
   * @param time when it was written
   * @param kind its kind
   * @param address its object
   * @param bytes its size
   */
  public record Line(
      long position, String time, String kind, OneObject.Address address, String bytes) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param shard the shard of a cluster, which is what the source asks; null on one machine
   * @param newest the newest position that is shown; null for the end of the journal
   * @return the page
   * @throws PageException if it is no position, or the runtime does not answer
   */
  public static JournalPage read(
      PageFrame frame, Source source, @Nullable Long shard, @Nullable String newest) {
    long last = newest == null ? lastPosition(source) : position(newest);
    long first = Math.max(1, last - POSITIONS + 1);
    List<Line> records = new ArrayList<>();
    for (Map<String, @Nullable Object> each :
        source
            .ask(OperatorRequest.of("journal").with("from", first).with("to", last), POSITIONS)
            .answers()) {
      records.add(
          new Line(
              each.get("position") instanceof Long at ? at : 0,
              Text.of(each.get("time")),
              Text.of(each.get("kind")),
              OneObject.address(each),
              Text.bytes(each.get("bytes"))));
    }
    Collections.reverse(records);
    return new JournalPage(
        frame,
        List.copyOf(records),
        first > 1 ? String.valueOf(first - 1) : null,
        shard,
        shard == null ? List.of() : shards(source));
  }

  private static List<String> shards(Source source) {
    Map<String, @Nullable Object> status =
        source.ask(OperatorRequest.of("cluster-status"), 1).one();
    return AnswerMembers.list(status, "shards").stream()
        .map(each -> Text.of(each.get("shard")))
        .toList();
  }

  private static long lastPosition(Source source) {
    Map<?, ?> journal =
        AnswerMembers.map(source.ask(OperatorRequest.of("stats"), 1).one(), "journal");
    return journal.get("lastPosition") instanceof Number number ? number.longValue() : 0;
  }

  private static long position(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new PageException(400, "A position is a whole number.");
    }
  }
}
