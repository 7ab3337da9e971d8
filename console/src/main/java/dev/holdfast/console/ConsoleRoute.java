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
    routes.add(view("GET", "/object", Pages::object));
    routes.add(view("POST", "/object", Pages::object));
    routes.add(view("GET", "/object/time", Pages::history));
    routes.add(view("GET", "/activity", Pages::activity));
    routes.add(view("GET", "/journal", Pages::journal));
    routes.add(view("GET", "/statistics", Pages::statistics));
    routes.add(view("GET", "/alarms", FlowPages::alarms));
    routes.add(view("GET", "/events", FlowPages::events));
    routes.add(view("GET", "/archive", FlowPages::archive));
    routes.add(view("GET", "/archive/live", FlowPages::archiveLive));
    routes.add(change("GET", "/alarms/act", FlowPages::alarmQuestion));
    routes.add(change("POST", "/alarms/act", FlowPages::actOnAlarm));
    routes.add(change("GET", "/archive/act", FlowPages::archiveQuestion));
    routes.add(change("POST", "/archive/act", FlowPages::actOnArchive));
    routes.add(view("POST", "/logout", (exchange, source) -> {}));
    routes.add(new ConsoleRoute("GET", "/object/act", ConsoleRole.OPERATOR, Pages::question));
    routes.add(new ConsoleRoute("POST", "/object/act", ConsoleRole.OPERATOR, Pages::act));
    return List.copyOf(routes);
  }

  private static ConsoleRoute view(String method, String path, Page page) {
    return new ConsoleRoute(method, path, ConsoleRole.VIEWER, page);
  }

  private static ConsoleRoute change(String method, String path, Page page) {
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
