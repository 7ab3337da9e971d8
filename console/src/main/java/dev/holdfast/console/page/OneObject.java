package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.ValueTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object: its figures, a page of its keys, its tables and alarms. Immutable.
 *
 * @param frame what surrounds it
 * @param address which object
 * @param storage its storage engine
 * @param bytes its size
 * @param changed its last change; null if the journal does not have it
 * @param keyCount how many keys it has
 * @param keys a page of its keys
 * @param nextKey the key after which the next page begins; null on the last one
 * @param tables its tables
 * @param alarms its alarms
 * @param sql the answer of the statement that was run; null if none was run
 */
public record OneObject(
    PageFrame frame,
    Address address,
    String storage,
    String bytes,
    @Nullable String changed,
    String keyCount,
    List<Key> keys,
    @Nullable String nextKey,
    List<Table> tables,
    List<Alarm> alarms,
    @Nullable Rows sql) {

  private static final int KEYS = 50;
  private static final int ROWS = 200;
  private static final int CELL_CHARS_MAX = 1_000;

  /**
   * Which object.
   *
   * @param namespace its namespace
   * @param id its id
   * @param name its name; null if it has none
   */
  public record Address(String namespace, String id, @Nullable String name) {

    /** {@return the name, or the id without one} */
    public String shown() {
      return name == null ? id : name;
    }

    OperatorRequest ask(String verb) {
      return OperatorRequest.of(verb).with("namespace", namespace).with("object", id);
    }
  }

  /**
   * A key and its value.
   *
   * @param key the key
   * @param bytes the size of the stored value
   * @param value the value as a text; cut if it is long
   * @param note what the text does not say; null if it is the value
   */
  public record Key(String key, String bytes, String value, @Nullable String note) {}

  /**
   * A table.
   *
   * @param name its name
   * @param rows how many rows it has
   */
  public record Table(String name, String rows) {}

  /**
   * An alarm.
   *
   * @param name its name; empty for the one without
   * @param state whether it will fire
   * @param due when it fires
   * @param schedule its schedule; a dash without one
   */
  public record Alarm(String name, String state, @Nullable String due, String schedule) {}

  /**
   * What a statement has answered.
   *
   * @param statement the statement
   * @param columns the names of the columns
   * @param rows the values as texts
   * @param note that there are more rows, or why there is none; null for neither
   */
  public record Rows(
      String statement, List<String> columns, List<List<String>> rows, @Nullable String note) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param namespace the namespace
   * @param object the id or the name of the object
   * @param prefix the beginning of the keys that are shown; empty for all
   * @param after the key before the first one; null for the first page
   * @param statement a statement to run; null for none
   * @return the page
   * @throws PageException if there is no such object, or the runtime does not answer
   */
  public static OneObject read(
      PageFrame frame,
      Source source,
      String namespace,
      String object,
      String prefix,
      @Nullable String after,
      @Nullable String statement) {
    Map<String, @Nullable Object> about =
        source
            .ask(
                OperatorRequest.of("object").with("namespace", namespace).with("object", object), 1)
            .one();
    Address address = address(about);
    Source.Result listed =
        source.ask(
            address
                .ask("list")
                .with("prefix", prefix.isEmpty() ? null : prefix)
                .with("after", after)
                .with("limit", (long) KEYS),
            KEYS);
    List<Key> keys = new ArrayList<>();
    for (Map<String, @Nullable Object> each : listed.answers()) {
      keys.add(key(each, frame.isRedacted()));
    }
    return new OneObject(
        frame,
        address,
        Text.of(about.get("storage")),
        Text.bytes(about.get("bytes")),
        (String) about.get("changed"),
        Text.number(about.get("keys")),
        List.copyOf(keys),
        listed.note() == null || keys.isEmpty() ? null : keys.getLast().key(),
        AnswerMembers.list(about, "tables").stream()
            .map(each -> new Table(Text.of(each.get("name")), Text.number(each.get("rows"))))
            .toList(),
        AnswerMembers.list(about, "alarms").stream()
            .map(
                each ->
                    new Alarm(
                        Text.of(each.get("alarm")),
                        Text.of(each.get("state")),
                        (String) each.get("due"),
                        Text.of(each.get("schedule"))))
            .toList(),
        statement == null ? null : rows(source, address, statement));
  }

  static Address address(Map<String, @Nullable Object> answer) {
    return new Address(
        Text.of(answer.get("namespace")), Text.of(answer.get("id")), (String) answer.get("name"));
  }

  private static Key key(Map<String, @Nullable Object> pair, boolean isRedacted) {
    String name = Text.of(pair.get("key"));
    String bytes = Text.bytes(pair.get("bytes"));
    if (isRedacted || !(pair.get("value") instanceof byte[] stored)) {
      return new Key(name, bytes, "hidden", null);
    }
    ValueTree tree = ValueTree.of(stored);
    String shown = ValueText.text(tree.tree(), CELL_CHARS_MAX);
    return new Key(name, bytes, shown, tree.note());
  }

  private static Rows rows(Source source, Address address, String statement) {
    Source.Result result;
    try {
      result =
          source.ask(
              address.ask("sql").with("sql", statement).with("limit", (long) ROWS), ROWS + 1);
    } catch (PageException e) {
      return new Rows(statement, List.of(), List.of(), String.valueOf(e.getMessage()));
    }
    List<String> columns = List.of();
    List<List<String>> rows = new ArrayList<>();
    for (Map<String, @Nullable Object> each : result.answers()) {
      if (each.get("columns") instanceof List<?> names) {
        columns = names.stream().map(String::valueOf).toList();
      }
      if (each.get("row") instanceof List<?> cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
          row.add(ValueText.text(cell, CELL_CHARS_MAX));
        }
        rows.add(List.copyOf(row));
      }
    }
    return new Rows(statement, columns, List.copyOf(rows), result.note());
  }
}
