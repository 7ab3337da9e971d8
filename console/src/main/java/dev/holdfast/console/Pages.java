package dev.holdfast.console;

import dev.holdfast.console.page.Activity;
import dev.holdfast.console.page.JournalPage;
import dev.holdfast.console.page.ObjectList;
import dev.holdfast.console.page.Overview;
import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.page.StatisticsPage;
import gg.jte.generated.precompiled.JteactivityGenerated;
import gg.jte.generated.precompiled.JtejournalGenerated;
import gg.jte.generated.precompiled.JteliveGenerated;
import gg.jte.generated.precompiled.JteobjectsGenerated;
import gg.jte.generated.precompiled.JteoverviewGenerated;
import gg.jte.generated.precompiled.JtestatisticsGenerated;
import java.io.IOException;

/** Reads what a request asks for, and writes the page. Stateless. */
final class Pages {

  private Pages() {}

  static void overview(Exchange exchange, Source source) throws IOException {
    Overview page = Overview.read(exchange.frame("overview"), source, /* sample= */ null);
    exchange.html(out -> JteoverviewGenerated.render(out, null, page));
  }

  /** The part of the overview that is read again and again, as often as samples are taken. */
  static void live(Exchange exchange, Source source) throws IOException {
    Overview page =
        Overview.read(
            exchange.frame("overview"),
            source,
            exchange.shard() == null ? exchange.samples().latest() : null);
    exchange.html(out -> JteliveGenerated.render(out, null, page));
  }

  static void objects(Exchange exchange, Source source) throws IOException {
    ObjectList page =
        ObjectList.read(
            exchange.frame("objects"),
            source,
            exchange.textOrNull("namespace"),
            exchange.text("prefix"),
            exchange.textOrNull("after"),
            exchange.textOrNull("id"));
    exchange.html(out -> JteobjectsGenerated.render(out, null, page));
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
}
