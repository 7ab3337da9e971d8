package dev.holdfast.operate.inspect;

import dev.holdfast.launcher.PlainText;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Door;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code inspect top}. Populated by the command line library. */
@Command(
    name = "top",
    description = {
      "Shows health, rates and the busiest objects of a running process, again and again.",
      "With --json: once, without rates."
    },
    footer = {"", "Example: ./holdfast inspect top --every 5 --data data/demo"})
final class TopVerb extends InspectVerb {

  private static final int OBJECTS = 15;

  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "The time between two views; default: 2.")
  private int seconds;

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "How many views; default: until it is interrupted.")
  private int count;

  @Override
  OperatorRequest request() {
    return OperatorRequest.of("stats");
  }

  @Override
  int print(List<Map<String, @Nullable Object>> answers, Output to) {
    throw new IllegalStateException("The views are printed one by one.");
  }

  @Override
  int run(DataDirectory data, Output to) throws IOException {
    if (seconds < 0 || count < 0) {
      throw new WrongInputException("--every and --count are not negative");
    }
    try (Door door = Door.open(data.path(), false, request())) {
      if (!door.isRunning()) {
        throw new RunFailedException(
            "No process has "
                + data.path()
                + " open, so nothing happens there. Start it, or look at the files with ./holdfast"
                + " inspect objects");
      }
      if (to.isJson()) {
        to.printJson(view(door));
        return 0;
      }
      Map<String, @Nullable Object> before = view(door);
      boolean isRead = true;
      for (int shown = 0; isRead && (count == 0 || shown < count); shown++) {
        sleep();
        Map<String, @Nullable Object> now = view(door);
        if (count != 1) {
          to.out().flush();
          PlainText.clearScreen();
        }
        show(before, now, to);
        before = now;
        isRead = !System.out.checkError();
      }
      return 0;
    }
  }

  private void sleep() {
    try {
      Thread.sleep(1_000L * seconds);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RunFailedException("interrupted");
    }
  }

  private static Map<String, @Nullable Object> view(Door door) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("health", answers(door, OperatorRequest.of("health")).getFirst());
    view.put("stats", answers(door, OperatorRequest.of("stats")).getFirst());
    view.put("busiest", answers(door, OperatorRequest.of("busiest").with("limit", OBJECTS)));
    return view;
  }

  private static List<Map<String, @Nullable Object>> answers(Door door, OperatorRequest request) {
    List<Map<String, @Nullable Object>> answers = new ArrayList<>();
    door.perform(request, answers::add);
    return answers;
  }

  private static void show(
      Map<String, @Nullable Object> before, Map<String, @Nullable Object> now, Output to) {
    double elapsed =
        (number(now, "stats", "uptimeNanos") - number(before, "stats", "uptimeNanos")) / 1e9;
    to.out()
        .printf(
            "%s, %s; up %,d s; %,.0f records/s, %,.0f bytes/s to the journal; %,d databases"
                + " open%n%n",
            member(now, "stats", "state"),
            member(now, "health", "state"),
            number(now, "stats", "uptimeNanos") / 1_000_000_000,
            rate(before, now, elapsed, "stats", "journal", "lastPosition"),
            rate(before, now, elapsed, "stats", "journal", "bytes"),
            number(now, "stats", "databases", "open"));
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    if (member(now, "stats", "namespaces") instanceof Map<?, ?> namespaces) {
      for (Object name : namespaces.keySet()) {
        String namespace = String.valueOf(name);
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("namespace", namespace);
        row.put("live", number(now, "stats", "namespaces", namespace, "live"));
        row.put("queued", number(now, "stats", "namespaces", namespace, "queued"));
        row.put("calls/s", perSecond(before, now, elapsed, namespace, "calls", "returned"));
        row.put("turns/s", perSecond(before, now, elapsed, namespace, "turns"));
        row.put("batches/s", perSecond(before, now, elapsed, namespace, "batches"));
        rows.add(row);
      }
    }
    to.printTable(rows);
    to.out().println();
    if (now.get("busiest") instanceof List<?> busiest) {
      List<Map<String, @Nullable Object>> objects = new ArrayList<>();
      for (Object each : busiest) {
        if (each instanceof Map<?, ?> object) {
          Map<String, @Nullable Object> row = new LinkedHashMap<>();
          object.forEach((name, value) -> row.put(String.valueOf(name), value));
          objects.add(row);
        }
      }
      to.printTable(objects);
    }
  }

  private static String perSecond(
      Map<String, @Nullable Object> before,
      Map<String, @Nullable Object> now,
      double elapsed,
      String namespace,
      String... names) {
    List<String> path = new ArrayList<>(List.of("stats", "namespaces", namespace));
    path.addAll(List.of(names));
    return String.format("%,.0f", rate(before, now, elapsed, path.toArray(String[]::new)));
  }

  private static double rate(
      Map<String, @Nullable Object> before,
      Map<String, @Nullable Object> now,
      double elapsed,
      String... path) {
    return elapsed <= 0 ? 0 : (number(now, path) - number(before, path)) / elapsed;
  }

  private static long number(Map<String, @Nullable Object> view, String... path) {
    return member(view, path) instanceof Number number ? number.longValue() : 0;
  }

  private static @Nullable Object member(Map<String, @Nullable Object> view, String... path) {
    Object value = view;
    for (String name : path) {
      value = value instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return value;
  }
}
