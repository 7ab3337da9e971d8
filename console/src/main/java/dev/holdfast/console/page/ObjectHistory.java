package dev.holdfast.console.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The past of an object: its changes, newest first, and what differs between two states. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param changes a page of its changes
 * @param next the change from which the next page begins; null on the last one
 * @param comparison what differs between two states; null if none were chosen
 */
public record ObjectHistory(
    PageFrame frame,
    OneObject.Address address,
    List<Change> changes,
    @Nullable String next,
    @Nullable Comparison comparison) {

  private static final int CHANGES = 50;
  private static final int DIFFERENCES = 1_000;

  /**
   * A change.
   *
   * @param bookmark the state after it
   * @param time when it was made
   * @param kind its kind
   * @param bytes its size in the journal
   */
  public record Change(String bookmark, String time, String kind, String bytes) {}

  /**
   * What differs.
   *
   * @param from the first state
   * @param to the second state
   * @param differences the keys and rows
   * @param isCut whether there are more
   */
  public record Comparison(String from, String to, List<Difference> differences, boolean isCut) {}

  /**
   * A key or a row that differs.
   *
   * @param kind how it differs
   * @param table the table of the row; null for a key
   * @param key the key
   */
  public record Difference(String kind, @Nullable String table, String key) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param namespace the namespace
   * @param object the id or the name of the object
   * @param from the change with which the page begins; null for the newest
   * @param state a state to compare with the present; a bookmark, or a time in UTC; null for none
   * @return the page
   * @throws PageException if the namespace keeps no history, or the runtime does not answer
   */
  public static ObjectHistory read(
      PageFrame frame,
      Source source,
      String namespace,
      String object,
      @Nullable String from,
      @Nullable String state) {
    OneObject.Address address = new OneObject.Address(namespace, object, null);
    Source.Result page =
        source.ask(
            address.ask("history").with("from", from).with("limit", CHANGES + 1L), CHANGES + 1);
    List<Change> changes = new ArrayList<>();
    for (Map<String, @Nullable Object> each : page.answers()) {
      changes.add(
          new Change(
              Text.of(each.get("bookmark")),
              Text.of(each.get("time")),
              Text.of(each.get("kind")),
              Text.bytes(each.get("bytes"))));
    }
    boolean isMore = changes.size() > CHANGES;
    return new ObjectHistory(
        frame,
        address,
        List.copyOf(isMore ? changes.subList(0, CHANGES) : changes),
        isMore ? changes.getLast().bookmark() : null,
        state == null ? null : comparison(source, address, state));
  }

  private static Comparison comparison(Source source, OneObject.Address address, String state) {
    Source.Result newest = source.ask(address.ask("history").with("limit", 1L), 1);
    String now = newest.answers().isEmpty() ? state : Text.of(newest.one().get("bookmark"));
    Source.Result found =
        source.ask(address.ask("diff").with("from", state).with("to", now), DIFFERENCES);
    List<Difference> differences = new ArrayList<>();
    for (Map<String, @Nullable Object> each : found.answers()) {
      differences.add(
          new Difference(
              Text.of(each.get("kind")), (String) each.get("table"), Text.of(each.get("key"))));
    }
    return new Comparison(state, now, List.copyOf(differences), found.isCut());
  }
}
