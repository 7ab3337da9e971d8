package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names, keys, columns and values of strangers, as each verb prints them to a terminal. */
final class HostileTextTest {

  /** Clears the screen, turns the direction, and has characters without a form. */
  private static final String EVIL =
      "a\u001b[2J\u009b2J\u202eb\u3164\u2800\u200b\udb40\udc41\ufe0f";

  private static final Pattern HIDDEN =
      Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}\u3164\u2800\ufe0f&&[^\n\t]]");
  private static final Pattern BOOKMARK = Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{49}");

  @TempDir private Path temporary;

  /** Keeps what it is given. */
  public interface Store {

    /** Writes hostile texts. */
    void write();
  }

  private record StoreObject(ObjectContext context) implements Store, AlarmHandler {

    @Override
    public void write() {
      context.storage().put(EVIL, List.of(EVIL, Map.of(EVIL, EVIL), "\ud83d"));
      context.storage().sql().exec("CREATE TABLE IF NOT EXISTS t (\"" + EVIL + "\" TEXT)");
      context.storage().sql().exec("INSERT INTO t VALUES (?)", EVIL);
      context.storage().setAlarm(Instant.parse("2030-01-01T00:00:00Z"));
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  private CommandLineRun inspect(Path data, boolean isJson, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--data");
    all.add(data.toString());
    if (isJson) {
      all.add("--json");
    }
    return CommandLineRun.inspect(all.toArray(String[]::new));
  }

  @Test
  void noVerbPrintsMoreThanText() {
    Path data = temporary.resolve("data");
    try (ObjectRuntime runtime =
        Holdfast.open(
            data,
            new VirtualClock(),
            objects ->
                objects.namespace("stores", Store.class, StoreObject::new).options(Shop.SERVED))) {
      Store store = runtime.namespace("stores", Store.class).getByName(EVIL);
      store.write();
      store.write();
      List<String> bookmarks = bookmarks(inspect(data, true, "history", "stores", EVIL).out());
      List<List<String>> verbs =
          List.of(
              List.of("objects"),
              List.of("object", "stores", EVIL),
              List.of("size", "stores", EVIL),
              List.of("list", "stores", EVIL),
              List.of("get", "stores", EVIL, EVIL),
              List.of("get", "stores", EVIL, EVIL + "missing"),
              List.of("sql", "stores", EVIL, "SELECT * FROM t"),
              List.of("sql", "stores", EVIL, "SELECT \"" + EVIL + "\" FROM missing"),
              List.of("alarms"),
              List.of("stats"),
              List.of("health"),
              List.of("busiest"),
              List.of("executions"),
              List.of("journal"),
              List.of("history", "stores", EVIL),
              List.of("diff", "stores", EVIL, bookmarks.getLast(), bookmarks.getFirst()),
              List.of("object", "stores", EVIL, "--at", bookmarks.getFirst()),
              List.of("list", "stores", EVIL, "--at", bookmarks.getFirst()),
              List.of("table", "stores", EVIL, EVIL, "--at", bookmarks.getFirst()),
              List.of("timeline", "stores", EVIL),
              List.of("commit", "1"),
              List.of("commit", "2"),
              List.of("writers"),
              List.of("changed", "--since", "1970-01-01T00:00:00Z"),
              List.of("export-all", "stores", "--to", temporary.toString(), "--dry-run"),
              List.of("object", EVIL, "x"),
              List.of(EVIL),
              List.of("import", "stores", EVIL, temporary + "/" + EVIL, "--yes"),
              List.of("export", "stores", EVIL, temporary + "/" + EVIL),
              List.of("fork", "stores", EVIL, bookmarks.getFirst(), EVIL + "2"),
              List.of("delete", "stores", EVIL + "2", "--yes"));
      for (List<String> verb : verbs) {
        for (boolean isJson : new boolean[] {false, true}) {
          CommandLineRun run = inspect(data, isJson, verb.toArray(String[]::new));
          assertThat(HIDDEN.matcher(run.out() + run.err()).results().toList())
              .as(verb + " printed " + run.out() + run.err())
              .isEmpty();
          assertThat(run.err()).as(verb.toString()).doesNotContain("is a defect");
        }
      }
      assertThat(inspect(data, true, "get", "stores", EVIL, EVIL).out()).contains("\\ud83d\"");
    }
  }

  private static List<String> bookmarks(String json) {
    return BOOKMARK.matcher(json).results().map(MatchResult::group).toList();
  }
}
