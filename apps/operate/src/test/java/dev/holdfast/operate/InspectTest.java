package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verbs of {@code inspect}, with the JSON of each in a file. */
final class InspectTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @TempDir private Path temporary;

  private Path data = Path.of("");

  @BeforeEach
  void write() {
    data = temporary.resolve("data");
    try (ObjectRuntime runtime = Shop.open(data, RuntimeOptions.DEFAULT)) {
      assertThat(runtime).isNotNull();
    }
  }

  private CommandLineRun inspect(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--data");
    all.add(data.toString());
    return CommandLineRun.inspect(all.toArray(String[]::new));
  }

  private String bookmark(int index) {
    String json = inspect("history", "accounts", "alice", "--json").out();
    return JSON.readTree(json).get(index).get("bookmark").asString();
  }

  private String[] arguments(String verb) {
    return switch (verb) {
      case "namespaces", "objects", "alarms", "stats", "health", "busiest", "top" ->
          new String[] {verb};
      case "journal" -> new String[] {verb, "--to", "2"};
      case "commit" -> new String[] {verb, "2"};
      case "writers" -> new String[] {verb};
      case "object", "size", "evict", "history", "list", "timeline" ->
          new String[] {verb, "accounts", "alice"};
      case "get" -> new String[] {verb, "accounts", "alice", "last"};
      case "sql" -> new String[] {verb, "accounts", "alice", "SELECT * FROM sent"};
      case "table" -> new String[] {verb, "accounts", "alice", "sent", "--sort", "id"};
      case "put" -> new String[] {verb, "accounts", "alice", "limit", "5", "--yes"};
      case "remove" -> new String[] {verb, "accounts", "alice", "last", "--yes"};
      case "exec" -> new String[] {verb, "accounts", "alice", "DELETE FROM sent", "--yes"};
      case "alarm-set" -> new String[] {verb, "accounts", "alice", "2031-01-01T00:00:00Z"};
      case "alarm-cancel" -> new String[] {verb, "accounts", "alice", "--yes"};
      case "diff" -> new String[] {verb, "accounts", "alice", bookmark(1), bookmark(0)};
      case "fork" -> new String[] {verb, "accounts", "alice", bookmark(1), "bob"};
      case "restore" -> new String[] {verb, "accounts", "alice", bookmark(1), "--yes"};
      case "delete", "reset" -> new String[] {verb, "accounts", "alice", "--yes"};
      case "export" -> new String[] {verb, "accounts", "alice", file()};
      case "import" -> {
        inspect("export", "accounts", "alice", file());
        yield new String[] {verb, "accounts", "bob", file(), "--yes"};
      }
      default -> throw new IllegalArgumentException(verb);
    };
  }

  private String file() {
    return temporary.resolve("alice.sqlite").toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "namespaces",
        "objects",
        "object",
        "size",
        "get",
        "list",
        "sql",
        "alarms",
        "stats",
        "health",
        "busiest",
        "journal",
        "history",
        "diff",
        "export",
        "import",
        "fork",
        "restore",
        "delete",
        "reset",
        "evict",
        "top",
        "commit",
        "writers",
        "timeline",
        "table",
        "put",
        "remove",
        "exec",
        "alarm-set",
        "alarm-cancel"
      })
  void jsonOfAVerbIsAsRecorded(String verb) throws IOException {
    if (List.of("health", "top", "reset", "evict").contains(verb)) {
      // With the disk of the machine, a stopped directory could be degraded; it has no instances.
      data = temporary.resolve("running");
      try (ObjectRuntime runtime = Shop.open(data, Shop.SERVED)) {
        assertThat(runtime).isNotNull();
        requireRecorded(verb);
      }
    } else {
      requireRecorded(verb);
    }
  }

  private void requireRecorded(String verb) throws IOException {
    String[] arguments = arguments(verb);
    String[] withJson = new String[arguments.length + 1];
    System.arraycopy(arguments, 0, withJson, 0, arguments.length);
    withJson[arguments.length] = "--json";

    CommandLineRun run = inspect(withJson);

    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
    Golden.require("inspect/" + verb, stable(run.out(), verb));
  }

  /** Replaces what differs from run to run: bookmarks, paths, and all figures of statistics. */
  private String stable(String json, String verb) {
    String text =
        json.replaceAll("[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}", "BOOKMARK")
            .replace(temporary.toString(), "DIR");
    return verb.equals("stats") || verb.equals("top")
        ? text.replaceAll(" : -?[0-9][0-9.E-]*", " : 0")
            .replaceAll("(historySince\" : )[^\n]*", "$1null")
        : text;
  }

  @Test
  void objectHasTheMembersThatProgramsRelyOn() {
    JsonNode objects = JSON.readTree(inspect("objects", "--json").out());
    assertThat(objects.get(0).propertyNames())
        .containsExactly("namespace", "id", "name", "bytes", "changed", "alarm");
    assertThat(objects.get(0).get("id").asString()).matches("[0-9a-f]{64}");
  }

  @Test
  void answerIsATableForPeople() {
    assertThat(inspect("sql", "accounts", "alice", "SELECT * FROM sent").out())
        .isEqualToNormalizingNewlines("id  cents\n3   1.5\n7   1.5\n");
    assertThat(inspect("get", "accounts", "alice", "balance").out())
        .isEqualToNormalizingNewlines("key: balance\nbytes: 4\nvalue: 7\nnote: -\n");
  }

  @Test
  void runningProcessAnswersTheSame() {
    String stopped = inspect("list", "accounts", "alice", "--json").out();
    Path running = temporary.resolve("running");
    try (ObjectRuntime runtime = Shop.open(running, Shop.SERVED)) {
      assertThat(runtime).isNotNull();
      data = running;
      assertThat(inspect("list", "accounts", "alice", "--json").out()).isEqualTo(stopped);
      assertThat(inspect("restore", "accounts", "alice", bookmark(1), "--yes").code()).isZero();
      assertThat(inspect("get", "accounts", "alice", "balance").out()).contains("value: 3");
    }
  }

  @Test
  void backupIsShownLikeADataDirectory() {
    Path running = temporary.resolve("running");
    try (ObjectRuntime runtime = Shop.open(running, RuntimeOptions.DEFAULT)) {
      data = temporary.resolve("backup");
      runtime.backup(data);
      assertThat(inspect("get", "accounts", "alice", "balance").out()).contains("value: 7");
      assertThat(data.resolve("LOCK")).doesNotExist();
    }
  }

  /** A directory that was killed before an object was saved: the journal alone has it. */
  @Test
  void objectWithoutAFileIsShownAndChecked() throws IOException {
    String saved = inspect("list", "accounts", "alice", "--json").out();
    Path running = temporary.resolve("running");
    data = temporary.resolve("killed");
    try (ObjectRuntime runtime = Shop.open(running, RuntimeOptions.DEFAULT)) {
      assertThat(runtime).isNotNull();
      CopyAtRest.of(running, data);
    }
    try (Stream<Path> files = Files.walk(data.resolve("sqlite"))) {
      assertThat(files.filter(file -> file.getParent().endsWith("accounts"))).isEmpty();
    }
    JsonNode objects = JSON.readTree(inspect("objects", "--json").out());
    assertThat(objects.findValuesAsString("name")).containsExactly("alice");
    assertThat(inspect("list", "accounts", "alice", "--json").out()).isEqualTo(saved);
    assertThat(inspect("get", "accounts", "alice", "balance").out()).contains("value: 7");
    assertThat(CommandLineRun.of("verify", "--data", data.toString(), "--deep").code()).isZero();
  }

  @Test
  void objectThatIsNamedByItsIdIsShownWithItsName() throws IOException {
    String id = JSON.readTree(inspect("objects", "--json").out()).get(0).get("id").asString();
    assertThat(inspect("object", "accounts", id, "--json").out())
        .isEqualTo(Files.readString(Path.of("src/test/resources/inspect/object.json")));
  }

  @Test
  void journalShowsEventsAndPlacesOfConsumers() {
    data = temporary.resolve("emitting");
    try (ObjectRuntime runtime =
        Holdfast.open(
            data,
            new VirtualClock(),
            objects -> objects.namespace("orders", Shop.Account.class, InspectTest::emitting))) {
      runtime.consume("sales", "index", Long.class, _ -> {}).close();
      runtime.namespace("orders", Shop.Account.class).getByName("today").add(3);
    }
    List<String> kinds = new ArrayList<>();
    for (JsonNode each : JSON.readTree(inspect("journal", "--json").out())) {
      kinds.add(each.get("kind").asString() + " of " + each.get("namespace").asString());
    }
    assertThat(kinds).startsWith("consumer of ", "events of orders", "batch of orders");
    assertThat(inspect("get", "orders", "today", "sum").out()).contains("value: 3");
  }

  private static Shop.Account emitting(ObjectContext context) {
    return amount -> {
      context.storage().put("sum", amount);
      context.emit("sales", amount);
      return amount;
    };
  }

  @Test
  void runningProcessWithoutASocketIsReported() {
    data = temporary.resolve("running");
    try (ObjectRuntime runtime = Shop.open(data, RuntimeOptions.DEFAULT)) {
      assertThat(runtime).isNotNull();
      CommandLineRun run = inspect("objects");
      assertThat(run.code()).isEqualTo(1);
      assertThat(run.err()).contains("is running, started without an operator's socket");
    }
  }

  @Test
  void dangerousVerbDoesNothingWithoutYes() {
    for (String verb : List.of("delete", "restore", "import", "reset")) {
      List<String> arguments = new ArrayList<>(List.of(arguments(verb)));
      arguments.remove("--yes");
      CommandLineRun run = inspect(arguments.toArray(String[]::new));
      assertThat(run.code()).isEqualTo(2);
      assertThat(run.err()).contains("--yes");
    }
    assertThat(inspect("get", "accounts", "alice", "balance").out()).contains("value: 7");
  }

  @Test
  void topShowsRatesOnce() {
    data = temporary.resolve("running");
    try (ObjectRuntime runtime = Shop.open(data, Shop.SERVED)) {
      assertThat(runtime).isNotNull();
      assertThat(inspect("top", "--every", "0", "--count", "1").out())
          .contains("OPEN, ")
          .contains("namespace  live  queued  calls/s  turns/s  batches/s");
    }
  }

  @Test
  void directoryWithoutAProcessIsNotUp() {
    CommandLineRun health = inspect("health");
    assertThat(health.code()).isEqualTo(1);
    assertThat(health.out()).contains("state: STOPPED", "No process has").doesNotContain("UP");
    assertThat(inspect("health", "--json").out()).contains("\"STOPPED\"");
    CommandLineRun top = inspect("top", "--count", "1");
    assertThat(top.code()).isEqualTo(1);
    assertThat(top.err()).contains("No process has");
  }

  @Test
  void changesAndDeletionsOfASpanAreListed() {
    String all = inspect("changed", "--since", "2000-01-01T00:00:00Z").out();
    assertThat(all).contains("alice", "true");
    assertThat(inspect("changed", "--since", "2000-01-01T00:00:00Z", "--deleted").out())
        .doesNotContain("alice");
    assertThat(inspect("changed", "--since", "2100-01-01T00:00:00Z").out()).isEmpty();
    assertThat(inspect("delete", "accounts", "alice", "--yes").code()).isZero();
    assertThat(inspect("changed", "--since", "2000-01-01T00:00:00Z", "--deleted").out())
        .contains("alice", "false");
    assertThat(inspect("changed", "--since", "yesterday").code()).isEqualTo(2);
    assertThat(inspect("changed", "--since", "+1000000000-12-31T23:59:59Z").code()).isEqualTo(2);
  }

  @Test
  void objectsOfAPrefixAreExported() throws IOException {
    Path to = Files.createDirectory(temporary.resolve("exported"));
    String[] verb = {"export-all", "accounts", "--prefix", "ali", "--to", to.toString()};
    List<String> dry = new ArrayList<>(List.of(verb));
    dry.add("--dry-run");
    assertThat(inspect(dry.toArray(String[]::new)).out()).contains("alice");
    assertThat(to).isEmptyDirectory();
    assertThat(inspect(verb).code()).isZero();
    assertThat(to).isDirectoryContaining("glob:**/*.sqlite");
  }

  @Test
  void exitCodeTellsFailureFromWrongUsage() {
    assertThat(inspect("get", "accounts", "alice", "nothing").code()).isEqualTo(1);
    assertThat(inspect("object", "accounts", "nobody").code()).isEqualTo(1);
    assertThat(inspect("objects", "nowhere").code()).isEqualTo(1);
    assertThat(inspect("dance").code()).isEqualTo(2);
    assertThat(inspect("busiest", "--by", "name").code()).isEqualTo(2);
    data = temporary;
    assertThat(inspect("objects").code()).isEqualTo(2);
  }

  @Test
  void helpOfEachVerbHasAnExample() {
    String verbs = CommandLineRun.inspect("--help").out();
    for (String verb : List.of("objects", "get", "sql", "restore")) {
      assertThat(verbs).contains(verb);
      assertThat(CommandLineRun.inspect(verb, "--help").out())
          .contains("Example: ./holdfast inspect " + verb);
    }
  }
}
