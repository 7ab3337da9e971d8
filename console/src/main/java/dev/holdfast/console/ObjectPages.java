package dev.holdfast.console;

import dev.holdfast.console.object.KeyValue;
import dev.holdfast.console.object.ObjectTable;
import dev.holdfast.console.object.RunningTurns;
import dev.holdfast.console.object.StatementRows;
import dev.holdfast.console.page.Done;
import dev.holdfast.console.page.ObjectAction;
import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Question;
import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatorRequest;
import gg.jte.generated.precompiled.JtedoneGenerated;
import gg.jte.generated.precompiled.JtekeyGenerated;
import gg.jte.generated.precompiled.JteobjectGenerated;
import gg.jte.generated.precompiled.JtequestionGenerated;
import gg.jte.generated.precompiled.JterunningGenerated;
import gg.jte.generated.precompiled.JtesqlGenerated;
import gg.jte.generated.precompiled.JtetableGenerated;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pages about one object, and the changes of it. Stateless. */
final class ObjectPages {

  private static final String SECTION = "objects";

  /** What changes are made with; an empty one is left out. */
  private static final List<String> FIELDS =
      List.of("bookmark", "key", "value", "type", "sql", "alarm", "at");

  private static final int TIMED_OUT = 504;

  private ObjectPages() {}

  static void object(Exchange exchange, Source source) throws IOException {
    OneObject page;
    try {
      page =
          OneObject.read(
              exchange.frame(SECTION),
              source,
              exchange.required("namespace"),
              exchange.required("object"),
              exchange.text("prefix"),
              exchange.textOrNull("after"));
    } catch (PageException e) {
      if (e.status() != TIMED_OUT) {
        throw e;
      }
      // What occupies the object is known without a turn of it.
      exchange.response().setStatus(TIMED_OUT);
      running(exchange, source, e.getMessage());
      return;
    }
    exchange.html(out -> JteobjectGenerated.render(out, null, page));
  }

  static void key(Exchange exchange, Source source) throws IOException {
    KeyValue page =
        KeyValue.read(exchange.frame(SECTION), source, address(exchange), exchange.text("key"));
    exchange.html(out -> JtekeyGenerated.render(out, null, page));
  }

  /** The whole value as a file: JSON with types; the stored bytes of what JSON cannot say. */
  static void value(Exchange exchange, Source source) throws IOException {
    requireValues(exchange);
    OperatorRequest request = address(exchange).ask("get").with("key", exchange.text("key"));
    if (!(source.ask(request, 1).one().get("value") instanceof byte[] stored)) {
      throw new PageException(404, "There is no value.");
    }
    String json = KeyValue.json(stored);
    byte[] bytes = json == null ? stored : json.getBytes(StandardCharsets.UTF_8);
    exchange.response().setContentType("application/octet-stream");
    exchange
        .response()
        .setHeader(
            "Content-Disposition",
            "attachment; filename=\"" + (json == null ? "value.bin" : "value.json") + "\"");
    exchange.response().setContentLength(bytes.length);
    if (!exchange.method().equals("HEAD")) {
      exchange.response().getOutputStream().write(bytes);
    }
  }

  static void table(Exchange exchange, Source source) throws IOException {
    ObjectTable page =
        ObjectTable.read(
            exchange.frame(SECTION),
            source,
            address(exchange),
            new ObjectTable.Wanted(
                exchange.required("table"),
                exchange.textOrNull("sort"),
                exchange.text("order").equals("descending"),
                exchange.textOrNull("after")));
    exchange.html(out -> JtetableGenerated.render(out, null, page));
  }

  static void sql(Exchange exchange, Source source) throws IOException {
    requireValues(exchange);
    String statement = exchange.method().equals("POST") ? exchange.typed("sql") : "";
    StatementRows page =
        StatementRows.read(exchange.frame(SECTION), source, address(exchange), statement);
    exchange.html(out -> JtesqlGenerated.render(out, null, page));
  }

  static void running(Exchange exchange, Source source) throws IOException {
    running(exchange, source, null);
  }

  private static void running(Exchange exchange, Source source, @Nullable String problem)
      throws IOException {
    RunningTurns page =
        RunningTurns.read(
            exchange.frame(SECTION),
            source,
            address(exchange),
            exchange.text("stack").equals("on"),
            problem);
    exchange.html(out -> JterunningGenerated.render(out, null, page));
  }

  private static void requireValues(Exchange exchange) {
    if (exchange.isRedacted()) {
      throw new PageException(
          403, "Values are hidden here: they are neither shown nor set, and no SQL is run.");
    }
  }

  // ---- Changes ------------------------------------------------------------------------------

  static void question(Exchange exchange, Source source) throws IOException {
    ObjectAction action = action(exchange);
    List<Question.Field> fields = new ArrayList<>();
    for (String each : FIELDS) {
      String value = field(exchange, each);
      if (!value.isEmpty()) {
        fields.add(new Question.Field(each, value));
      }
    }
    OneObject.Address address =
        action == ObjectAction.PURGE ? named(exchange, source) : address(exchange);
    Question page = new Question(exchange.frame(SECTION), action, address, List.copyOf(fields));
    exchange.html(out -> JtequestionGenerated.render(out, null, page));
  }

  static void act(Exchange exchange, Source source) throws IOException {
    ObjectAction action = action(exchange);
    OneObject.Address address = address(exchange);
    if (action == ObjectAction.PURGE
        && !shown(exchange.text("confirm")).equals(shown(named(exchange, source).shown()))) {
      throw new PageException(
          400, "This is not the name of the object, so its history is as it was.");
    }
    OperatorRequest request = address.ask(action.verb()).with("name", exchange.textOrNull("name"));
    for (String each : FIELDS) {
      String value = field(exchange, each);
      request = request.with(each, value.isEmpty() ? null : value);
    }
    if (action == ObjectAction.PUT || action == ObjectAction.REMOVE) {
      request = request.with("key", exchange.text("key")); // a key may be empty
    }
    Map<String, @Nullable Object> answer = source.ask(request, 1).one();
    String undo = answer.get("undo") instanceof String bookmark ? bookmark : null;
    Done page = new Done(exchange.frame(SECTION), action, address, result(action, answer), undo);
    exchange.html(out -> JtedoneGenerated.render(out, null, page));
  }

  private static String field(Exchange exchange, String name) {
    return new Question.Field(name, "").isTyped() ? exchange.typed(name) : exchange.text(name);
  }

  /** {@return a text as a browser shows it, and as it can be typed} */
  private static String shown(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }

  private static String result(ObjectAction action, Map<String, @Nullable Object> answer) {
    return switch (action) {
      case RESTORE -> "The object is in the chosen state.";
      case FORK -> "The object " + answer.get("fork") + " has the chosen state.";
      case EVICT ->
          is(answer, "evicted")
              ? "The object has left the memory."
              : "The object stays: it was not in memory, or is in use.";
      case RESET ->
          is(answer, "reset") ? "The instance was discarded." : "The object was not in memory.";
      case DELETE -> "The object is deleted.";
      case PURGE ->
          is(answer, "erased")
              ? "The history is gone, and its bytes are in no file."
              : "The history is gone. Its bytes leave the files in the background.";
      case PUT -> "The key has the value.";
      case REMOVE -> is(answer, "removed") ? "The key is deleted." : "The object had no such key.";
      case EXEC -> "The statement has written " + answer.get("rowsWritten") + " rows.";
      case ARM -> "The alarm is set.";
      case CANCEL ->
          is(answer, "cancelled") ? "The alarm is cancelled." : "The object had no such alarm.";
    };
  }

  private static boolean is(Map<String, @Nullable Object> answer, String member) {
    return Boolean.TRUE.equals(answer.get(member));
  }

  private static ObjectAction action(Exchange exchange) {
    ObjectAction action = ObjectAction.of(exchange.required("action"));
    if (action.isOfValues()) {
      requireValues(exchange);
    }
    return action;
  }

  private static OneObject.Address address(Exchange exchange) {
    return new OneObject.Address(exchange.required("namespace"), exchange.required("object"), null);
  }

  /** {@return the object with its name; as it is asked for if it was deleted} */
  private static OneObject.Address named(Exchange exchange, Source source) {
    OneObject.Address address = address(exchange);
    try {
      Object name = source.ask(address.ask("object").with("bounded", true), 1).one().get("name");
      return name instanceof String known
          ? new OneObject.Address(address.namespace(), address.id(), known)
          : address;
    } catch (PageException e) {
      if (e.status() == TIMED_OUT) {
        throw e;
      }
      return address;
    }
  }
}
