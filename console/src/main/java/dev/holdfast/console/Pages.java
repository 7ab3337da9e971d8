package dev.holdfast.console;

import dev.holdfast.console.page.Activity;
import dev.holdfast.console.page.Done;
import dev.holdfast.console.page.JournalPage;
import dev.holdfast.console.page.ObjectAction;
import dev.holdfast.console.page.ObjectList;
import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.Overview;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Question;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.StatisticsPage;
import dev.holdfast.operator.OperatorRequest;
import gg.jte.generated.precompiled.JteactivityGenerated;
import gg.jte.generated.precompiled.JtedoneGenerated;
import gg.jte.generated.precompiled.JtejournalGenerated;
import gg.jte.generated.precompiled.JteliveGenerated;
import gg.jte.generated.precompiled.JteobjectGenerated;
import gg.jte.generated.precompiled.JteobjectsGenerated;
import gg.jte.generated.precompiled.JteoverviewGenerated;
import gg.jte.generated.precompiled.JtequestionGenerated;
import gg.jte.generated.precompiled.JtestatisticsGenerated;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what a request asks for, and writes the page. Stateless. */
final class Pages {

  private Pages() {}

  static void overview(Exchange exchange, Source source) throws IOException {
    Overview page = Overview.read(exchange.frame("overview"), source);
    exchange.html(out -> JteoverviewGenerated.render(out, null, page));
  }

  /** The part of the overview that is read again and again. */
  static void live(Exchange exchange, Source source) throws IOException {
    Overview page = Overview.read(exchange.frame("overview"), source);
    exchange.html(out -> JteliveGenerated.render(out, null, page));
  }

  static void objects(Exchange exchange, Source source) throws IOException {
    ObjectList page =
        ObjectList.read(
            exchange.frame("objects"),
            source,
            exchange.textOrNull("namespace"),
            exchange.text("prefix"),
            exchange.textOrNull("after"));
    exchange.html(out -> JteobjectsGenerated.render(out, null, page));
  }

  static void object(Exchange exchange, Source source) throws IOException {
    String statement = exchange.method().equals("POST") ? exchange.textOrNull("sql") : null;
    if (statement != null && exchange.isRedacted()) {
      throw new PageException(403, "Values are hidden here, so no SQL is run.");
    }
    OneObject page =
        OneObject.read(
            exchange.frame("objects"),
            source,
            exchange.required("namespace"),
            exchange.required("object"),
            exchange.text("prefix"),
            exchange.textOrNull("after"),
            statement);
    exchange.html(out -> JteobjectGenerated.render(out, null, page));
  }

  static void activity(Exchange exchange, Source source) throws IOException {
    Activity page = Activity.read(exchange.frame("activity"), source);
    exchange.html(out -> JteactivityGenerated.render(out, null, page));
  }

  static void journal(Exchange exchange, Source source) throws IOException {
    PageFrame frame = exchange.frame("journal");
    Long shard = exchange.shard();
    if (frame.isNode() && shard == null) {
      exchange.redirect("/journal?shard=0"); // each shard has its own positions
      return;
    }
    JournalPage page =
        JournalPage.read(
            frame, source, frame.isNode() ? shard : null, exchange.textOrNull("newest"));
    exchange.html(out -> JtejournalGenerated.render(out, null, page));
  }

  static void statistics(Exchange exchange, Source source) throws IOException {
    StatisticsPage page = StatisticsPage.read(exchange.frame("statistics"), source);
    exchange.html(out -> JtestatisticsGenerated.render(out, null, page));
  }

  /** The figures of charts. */
  static void samples(Exchange exchange, Source source) throws IOException {
    exchange.json(exchange.samples().json(exchange.number("after")));
  }

  static void question(Exchange exchange, Source source) throws IOException {
    Question page =
        new Question(
            exchange.frame("objects"),
            action(exchange),
            address(exchange),
            exchange.textOrNull("bookmark"));
    exchange.html(out -> JtequestionGenerated.render(out, null, page));
  }

  static void act(Exchange exchange, Source source) throws IOException {
    ObjectAction action = action(exchange);
    OneObject.Address address = address(exchange);
    OperatorRequest request =
        OperatorRequest.of(action.verb())
            .with("namespace", address.namespace())
            .with("object", address.id())
            .with("bookmark", exchange.textOrNull("bookmark"))
            .with("name", exchange.textOrNull("name"));
    Map<String, @Nullable Object> answer = source.ask(request, 1).one();
    String undo = answer.get("undo") instanceof String bookmark ? bookmark : null;
    Done page = new Done(exchange.frame("objects"), action, address, result(action, answer), undo);
    exchange.html(out -> JtedoneGenerated.render(out, null, page));
  }

  private static String result(ObjectAction action, Map<String, @Nullable Object> answer) {
    return switch (action) {
      case RESTORE -> "The object is in the chosen state.";
      case FORK -> "The object " + answer.get("fork") + " has the chosen state.";
      case EVICT ->
          Boolean.TRUE.equals(answer.get("evicted"))
              ? "The object has left the memory."
              : "The object stays: it was not in memory, or is in use.";
      case RESET ->
          Boolean.TRUE.equals(answer.get("reset"))
              ? "The instance was discarded."
              : "The object was not in memory.";
      case DELETE -> "The object is deleted.";
    };
  }

  private static ObjectAction action(Exchange exchange) {
    String wanted = exchange.required("action");
    for (ObjectAction each : ObjectAction.values()) {
      if (each.verb().equals(wanted)) {
        return each;
      }
    }
    throw new PageException(400, "There is no action " + wanted + ".");
  }

  private static OneObject.Address address(Exchange exchange) {
    return new OneObject.Address(exchange.required("namespace"), exchange.required("object"), null);
  }
}
