package dev.holdfast.console;

import dev.holdfast.console.page.OneObject;
import dev.holdfast.console.page.Source;
import dev.holdfast.console.past.CommitPage;
import dev.holdfast.console.past.GrowthPage;
import dev.holdfast.console.past.PastState;
import dev.holdfast.console.past.RestoreQuestion;
import dev.holdfast.console.past.TimePage;
import gg.jte.generated.precompiled.JtecommitGenerated;
import gg.jte.generated.precompiled.JtegrowthGenerated;
import gg.jte.generated.precompiled.JtepastGenerated;
import gg.jte.generated.precompiled.JterestoreGenerated;
import gg.jte.generated.precompiled.JtetimeGenerated;
import java.io.IOException;
import java.util.List;

/** The pages of the past. Stateless. */
final class TimePages {

  private TimePages() {}

  static void addTo(List<ConsoleRoute> routes) {
    routes.add(ConsoleRoute.view("GET", "/object/time", TimePages::time));
    routes.add(ConsoleRoute.view("GET", "/object/at", TimePages::at));
    routes.add(ConsoleRoute.view("GET", "/journal/commit", TimePages::commit));
    routes.add(ConsoleRoute.view("GET", "/journal/growth", TimePages::growth));
    routes.add(ConsoleRoute.change("GET", "/object/restore", TimePages::restore));
    routes.add(ConsoleRoute.change("POST", "/object/export", FilePages::export));
    routes.add(ConsoleRoute.change("POST", "/object/import", FilePages::importFile));
  }

  static OneObject.Address address(Exchange exchange) {
    return new OneObject.Address(exchange.required("namespace"), exchange.required("object"), null);
  }

  private static void time(Exchange exchange, Source source) throws IOException {
    TimePage page =
        TimePage.read(
            exchange.frame("objects"),
            source,
            address(exchange),
            new TimePage.Wanted(
                exchange.textOrNull("from"),
                exchange.textOrNull("since"),
                exchange.textOrNull("until"),
                exchange.textOrNull("state"),
                exchange.textOrNull("other")));
    exchange.html(out -> JtetimeGenerated.render(out, null, page));
  }

  private static void at(Exchange exchange, Source source) throws IOException {
    PastState page =
        PastState.read(
            exchange.frame("objects"),
            source,
            address(exchange),
            new PastState.Wanted(
                exchange.required("state"),
                exchange.textOrNull("prefix"),
                exchange.textOrNull("after"),
                exchange.textOrNull("table"),
                exchange.textOrNull("rows")));
    exchange.html(out -> JtepastGenerated.render(out, null, page));
  }

  private static void commit(Exchange exchange, Source source) throws IOException {
    CommitPage page =
        CommitPage.read(exchange.frame("journal"), source, exchange.requiredNumber("position"));
    exchange.html(out -> JtecommitGenerated.render(out, null, page));
  }

  private static void growth(Exchange exchange, Source source) throws IOException {
    GrowthPage page =
        GrowthPage.read(
            exchange.frame("journal"),
            source,
            exchange.textOrNull("since"),
            exchange.textOrNull("until"));
    exchange.html(out -> JtegrowthGenerated.render(out, null, page));
  }

  private static void restore(Exchange exchange, Source source) throws IOException {
    RestoreQuestion page =
        RestoreQuestion.read(
            exchange.frame("objects"), source, address(exchange), exchange.required("state"));
    exchange.html(out -> JterestoreGenerated.render(out, null, page));
  }
}
