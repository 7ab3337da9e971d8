package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.operator.value.ValueNode;
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
 * @param hasMoreTables whether there are more tables
 * @param alarms its alarms
 * @param prefix the beginning of the keys that are shown; empty for all
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
    boolean hasMoreTables,
    List<Alarm> alarms,
    String prefix) {

  private static final int KEYS = 50;
  private static final int VALUE_CHARS_MAX = 300;
  private static final int VALUE_NODES_MAX = 100;

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

    /** {@return the object as a part of the query of an address} */
    public String query() {
      return "namespace=" + Text.query(namespace) + "&object=" + Text.query(id);
    }

    /**
     * {@return a request about the object}
     *
     * @param verb its verb
     */
    public OperatorRequest ask(String verb) {
      return OperatorRequest.of(verb).with("namespace", namespace).with("object", id);
    }
  }

  /**
   * A key and its value.
   *
   * @param key the key
   * @param bytes the size of the stored value
   * @param type its type, as JavaScript names it
   * @param value the value in one line; cut if it is long
   */
  public record Key(String key, String bytes, String type, String value) {}

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
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @param namespace the namespace
   * @param object the id or the name of the object
   * @param prefix the beginning of the keys that are shown; empty for all
   * @param after the key before the first one; null for the first page
   * @return the page
   * @throws PageException if there is no such object, or the runtime does not answer
   */
  public static OneObject read(
      PageFrame frame,
      Source source,
      String namespace,
      String object,
      String prefix,
      @Nullable String after) {
    Map<String, @Nullable Object> about =
        source
            .ask(
                OperatorRequest.of("object")
                    .with("namespace", namespace)
                    .with("object", object)
                    .with("bounded", true),
                1)
            .one();
    Address address = address(about);
    Source.Result listed =
        source.ask(
            address
                .ask("list")
                .with("prefix", prefix.isEmpty() ? null : prefix)
                .with("after", after)
                .with("bounded", true)
                .with("limit", (long) KEYS),
            KEYS);
    String storage = Text.of(about.get("storage"));
    List<Key> keys = new ArrayList<>();
    for (Map<String, @Nullable Object> each : listed.answers()) {
      keys.add(key(each, frame.isRedacted()));
    }
    return new OneObject(
        frame,
        address,
        storage,
        atLeast(about, storage.equals("sqlite") ? "" : "more", Text.bytes(about.get("bytes"))),
        (String) about.get("changed"),
        atLeast(about, "more", Text.number(about.get("keys"))),
        List.copyOf(keys),
        listed.note() == null || keys.isEmpty() ? null : keys.getLast().key(),
        AnswerMembers.list(about, "tables").stream()
            .map(
                each ->
                    new Table(
                        Text.of(each.get("name")),
                        atLeast(each, "more", Text.number(each.get("rows")))))
            .toList(),
        Boolean.TRUE.equals(about.get("moreTables")),
        AnswerMembers.list(about, "alarms").stream()
            .map(
                each ->
                    new Alarm(
                        each.get("alarm") instanceof String name ? name : "",
                        Text.of(each.get("state")),
                        (String) each.get("due"),
                        Text.schedule(each.get("schedule"))))
            .toList(),
        prefix);
  }

  /** {@return a number; with a word before it if the counting has stopped there} */
  private static String atLeast(Map<?, ?> answer, String member, String number) {
    return Boolean.TRUE.equals(answer.get(member)) ? "at least " + number : number;
  }

  static Address address(Map<String, @Nullable Object> answer) {
    return new Address(
        Text.of(answer.get("namespace")), Text.of(answer.get("id")), (String) answer.get("name"));
  }

  private static Key key(Map<String, @Nullable Object> pair, boolean isRedacted) {
    String name = Text.of(pair.get("key"));
    String bytes = Text.bytes(pair.get("bytes"));
    if (isRedacted || !(pair.get("value") instanceof byte[] stored)) {
      return new Key(name, bytes, "-", "hidden");
    }
    ValueNode value = ValueNode.of(stored, VALUE_NODES_MAX).root();
    return new Key(name, bytes, value.type(), ValueText.line(value, VALUE_CHARS_MAX));
  }
}
