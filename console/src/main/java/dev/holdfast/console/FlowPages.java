package dev.holdfast.console;

import dev.holdfast.console.flow.AlarmsPage;
import dev.holdfast.console.flow.ArchivePage;
import dev.holdfast.console.flow.Confirmation;
import dev.holdfast.console.flow.EventsPage;
import dev.holdfast.console.page.PageException;
import dev.holdfast.console.page.Source;
import dev.holdfast.operator.OperatorRequest;
import gg.jte.generated.precompiled.JtealarmsGenerated;
import gg.jte.generated.precompiled.JtearchiveGenerated;
import gg.jte.generated.precompiled.JtearchiveliveGenerated;
import gg.jte.generated.precompiled.JteconfirmGenerated;
import gg.jte.generated.precompiled.JteeventsGenerated;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The pages of alarms, events, the archive and backups. Stateless. */
final class FlowPages {

  private FlowPages() {}

  // ---- Alarms -------------------------------------------------------------------------------

  static void alarms(Exchange exchange, Source source) throws IOException {
    AlarmsPage page =
        AlarmsPage.read(
            exchange.frame("alarms"),
            source,
            new AlarmsPage.Selection(
                exchange.textOrNull("namespace"),
                exchange.text("state").equals("abandoned"),
                exchange.textOrNull("after")),
            exchange.now(),
            switch (exchange.text("done")) {
              case "rearm" -> "The alarm is set again; it fires at once, with all its retries.";
              case "discard" -> "The alarm is deleted.";
              default -> null;
            });
    exchange.html(out -> JtealarmsGenerated.render(out, null, page));
  }

  static void alarmQuestion(Exchange exchange, Source source) throws IOException {
    String action = alarmAction(exchange);
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("action", action);
    fields.put("namespace", exchange.required("namespace"));
    fields.put("object", exchange.required("object"));
    fields.put("alarm", exchange.text("alarm"));
    boolean isRearm = action.equals("rearm");
    ask(
        exchange,
        new Confirmation(
            exchange.frame("alarms"),
            isRearm ? "Rearm" : "Discard",
            (exchange.text("alarm").isEmpty() ? "The alarm" : "The alarm " + exchange.text("alarm"))
                + " of "
                + fields.get("namespace")
                + " / "
                + fields.get("object"),
            isRearm
                ? "It fires at once, and is tried as often as a new one. Repair first what made it"
                    + " fail."
                : "It is deleted and never runs. A restore of the object to an earlier state brings"
                    + " it back while the history is kept.",
            "/alarms/act",
            fields,
            "/alarms?state=abandoned"));
  }

  static void actOnAlarm(Exchange exchange, Source source) throws IOException {
    String action = alarmAction(exchange);
    source.ask(
        OperatorRequest.of("alarm-" + action)
            .with("namespace", exchange.required("namespace"))
            .with("object", exchange.required("object"))
            .with("alarm", exchange.textOrNull("alarm")),
        1);
    exchange.redirect("/alarms?state=abandoned&done=" + action);
  }

  private static String alarmAction(Exchange exchange) {
    return oneOf(exchange.required("action"), "rearm", "discard");
  }

  private static String oneOf(String action, String... known) {
    if (!List.of(known).contains(action)) {
      throw new PageException(400, "There is no action " + action + " here.");
    }
    return action;
  }

  // ---- Events -------------------------------------------------------------------------------

  static void events(Exchange exchange, Source source) throws IOException {
    EventsPage page =
        EventsPage.read(
            exchange.frame("events"),
            source,
            switch (exchange.text("done")) {
              case "oldest", "now" -> "The consumer goes on at its new place.";
              case "remove" -> "The consumer is forgotten.";
              default -> null;
            });
    exchange.html(out -> JteeventsGenerated.render(out, null, page));
  }

  static void consumerQuestion(Exchange exchange, Source source) throws IOException {
    String action = consumerAction(exchange);
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("action", action);
    fields.put("topic", exchange.required("topic"));
    fields.put("consumer", exchange.required("consumer"));
    String shard = exchange.text("shard");
    if (!shard.isEmpty()) {
      fields.put("shard", shard);
    }
    ask(
        exchange,
        new Confirmation(
            exchange.frame("events"),
            action.equals("remove") ? "Remove" : "Reset",
            "The consumer "
                + fields.get("consumer")
                + " of the topic "
                + fields.get("topic")
                + (shard.isEmpty() ? "" : ", in shard " + shard),
            switch (action) {
              case "oldest" ->
                  "It receives every event again that is still kept, also those that it has"
                      + " handled. This cannot be undone.";
              case "now" ->
                  "It receives the events from now on. Those that it has not handled yet are"
                      + " skipped. This cannot be undone.";
              default ->
                  "Its place is forgotten, and no event is kept for it any more. If the application"
                      + " adds it again, it is a new one. This cannot be undone.";
            },
            "/events/act",
            fields,
            "/events"));
  }

  static void actOnConsumer(Exchange exchange, Source source) throws IOException {
    String action = consumerAction(exchange);
    boolean isRemoval = action.equals("remove");
    source.ask(
        OperatorRequest.of(isRemoval ? "consumer-remove" : "consumer-reset")
            .with("topic", exchange.required("topic"))
            .with("consumer", exchange.required("consumer"))
            .with("to", isRemoval ? null : action)
            .with("shard", exchange.shard()),
        1);
    exchange.redirect("/events?done=" + action);
  }

  private static String consumerAction(Exchange exchange) {
    return oneOf(exchange.required("action"), "oldest", "now", "remove");
  }

  // ---- Archive and backup -------------------------------------------------------------------

  static void archive(Exchange exchange, Source source) throws IOException {
    ArchivePage page = ArchivePage.read(exchange.frame("archive"), source);
    exchange.html(out -> JtearchiveGenerated.render(out, null, page));
  }

  /** The part of the page that is read again while a job runs. */
  static void archiveLive(Exchange exchange, Source source) throws IOException {
    ArchivePage page = ArchivePage.read(exchange.frame("archive"), source);
    exchange.html(out -> JtearchiveliveGenerated.render(out, null, page));
  }

  static void archiveQuestion(Exchange exchange, Source source) throws IOException {
    boolean isBackup = archiveAction(exchange).equals("backup");
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("action", isBackup ? "backup" : "purge");
    if (isBackup) {
      fields.put("to", exchange.required("to"));
    }
    ask(
        exchange,
        new Confirmation(
            exchange.frame("archive"),
            isBackup ? "Back up" : "Purge the archive",
            isBackup ? "To " + exchange.required("to") : "The archive of this runtime",
            isBackup
                ? "The process copies the whole data directory there, while it goes on. The"
                    + " directory is on the machine of the process, and must be missing or empty."
                : "Every moment before now is deleted from the archive, also what other directories"
                    + " have archived there. No restore can go back to one of them. This cannot be"
                    + " undone.",
            "/archive/act",
            fields,
            "/archive"));
  }

  static void actOnArchive(Exchange exchange, Source source) throws IOException {
    source.ask(
        archiveAction(exchange).equals("backup")
            ? OperatorRequest.of("backup")
                .with("to", exchange.required("to").strip())
                .with("background", true)
            : OperatorRequest.of("archive-purge").with("background", true),
        1);
    exchange.redirect("/archive");
  }

  private static String archiveAction(Exchange exchange) {
    return oneOf(exchange.required("action"), "backup", "purge");
  }

  static void ask(Exchange exchange, Confirmation page) throws IOException {
    exchange.html(out -> JteconfirmGenerated.render(out, null, page));
  }
}
