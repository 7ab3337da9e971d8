package dev.holdfast.console;

import dev.holdfast.console.page.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An address of the console. Immutable.
 *
 * @param method the method of HTTP
 * @param path the path below that of the console
 * @param role the least role that may ask
 * @param page answers
 */
record ConsoleRoute(String method, String path, ConsoleRole role, Page page) {

  /** Every address behind the login. */
  static final List<ConsoleRoute> ALL = all();

  /** Answers a request. */
  @FunctionalInterface
  interface Page {
    void answer(Exchange exchange, Source source) throws IOException;
  }

  private static List<ConsoleRoute> all() {
    List<ConsoleRoute> routes = new ArrayList<>();
    routes.add(view("GET", "/", Pages::overview));
    routes.add(view("GET", "/overview/live", Pages::live));
    routes.add(view("GET", "/objects", Pages::objects));
    routes.add(view("GET", "/object", ObjectPages::object));
    routes.add(view("GET", "/object/key", ObjectPages::key));
    routes.add(view("GET", "/object/value", ObjectPages::value));
    routes.add(view("GET", "/object/table", ObjectPages::table));
    routes.add(view("GET", "/object/sql", ObjectPages::sql));
    routes.add(view("POST", "/object/sql", ObjectPages::sql));
    routes.add(view("GET", "/object/running", ObjectPages::running));
    TimePages.addTo(routes);
    routes.add(view("GET", "/activity", Pages::activity));
    routes.add(view("GET", "/journal", Pages::journal));
    routes.add(view("GET", "/statistics", Pages::statistics));
    routes.add(view("GET", "/statistics/samples", Pages::samples));
    routes.add(view("GET", "/cluster", ClusterPages::cluster));
    routes.add(view("GET", "/cluster/live", ClusterPages::live));
    routes.add(change("GET", "/cluster/move", ClusterPages::question));
    routes.add(change("POST", "/cluster/move", ClusterPages::move));
    routes.add(view("GET", "/alarms", FlowPages::alarms));
    routes.add(view("GET", "/events", FlowPages::events));
    routes.add(view("GET", "/archive", FlowPages::archive));
    routes.add(view("GET", "/archive/live", FlowPages::archiveLive));
    routes.add(change("GET", "/alarms/act", FlowPages::alarmQuestion));
    routes.add(change("POST", "/alarms/act", FlowPages::actOnAlarm));
    routes.add(change("GET", "/events/act", FlowPages::consumerQuestion));
    routes.add(change("POST", "/events/act", FlowPages::actOnConsumer));
    routes.add(change("GET", "/archive/act", FlowPages::archiveQuestion));
    routes.add(change("POST", "/archive/act", FlowPages::actOnArchive));
    routes.add(view("POST", "/logout", (exchange, source) -> exchange.leave()));
    routes.add(change("GET", "/object/act", ObjectPages::question));
    routes.add(change("POST", "/object/ask", ObjectPages::question));
    routes.add(change("POST", "/object/act", ObjectPages::act));
    return List.copyOf(routes);
  }

  static ConsoleRoute view(String method, String path, Page page) {
    return new ConsoleRoute(method, path, ConsoleRole.VIEWER, page);
  }

  static ConsoleRoute change(String method, String path, Page page) {
    return new ConsoleRoute(method, path, ConsoleRole.OPERATOR, page);
  }

  /** {@return the route of a request; null if there is none} */
  static @Nullable ConsoleRoute find(String method, String path) {
    String asked = method.equals("HEAD") ? "GET" : method;
    return ALL.stream()
        .filter(each -> each.method().equals(asked) && each.path().equals(path))
        .findFirst()
        .orElse(null);
  }
}
