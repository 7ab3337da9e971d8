package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operate.Shop.Account;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.spi.inspect.Inspectable;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The verbs about a runtime as a whole: alarms by pages, consumers of events, jobs. */
final class RuntimeVerbTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Instant DUE = Instant.parse("2100-01-01T00:00:00Z");

  @TempDir private Path temporary;

  private Path data = Path.of("");

  @BeforeEach
  void givenADirectory() {
    data = temporary.resolve("data");
  }

  private record Waiting(ObjectContext context) implements Account, AlarmHandler {

    @Override
    public long add(long amount) {
      context.storage().put("amount", amount);
      context.storage().setAlarm(DUE.plusSeconds(amount));
      context.emit("sales", "marker-of-an-event");
      return amount;
    }

    @Override
    public void alarm(AlarmInfo alarm) {}
  }

  private ObjectRuntime open() {
    return Holdfast.open(
        data,
        new VirtualClock(Instant.parse("2099-01-01T00:00:00Z")),
        objects ->
            objects
                .namespace("a", Account.class, Waiting::new)
                .namespace("b", Account.class, Waiting::new)
                .options(Shop.SERVED));
  }

  private CommandLineRun inspect(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", data.toString()));
    return CommandLineRun.inspect(all.toArray(String[]::new));
  }

  private JsonNode json(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    return JSON.readTree(inspect(all.toArray(String[]::new)).out());
  }

  @Test
  void pagesOfAlarmsHaveEachAlarmOnceByDueTimeOverAllNamespaces() {
    try (ObjectRuntime runtime = open()) {
      for (int each = 0; each < 7; each++) { // three of them at the same time
        runtime
            .namespace(each % 2 == 0 ? "a" : "b", Account.class)
            .getByName("n" + each)
            .add(each / 3);
      }
      List<String> seen = new ArrayList<>();
      JsonNode page = json("alarms", "--limit", "2");
      while (!page.isEmpty()) {
        page.forEach(each -> seen.add(each.get("due").asString() + each.get("name").asString()));
        String cursor = page.get(page.size() - 1).get("cursor").asString();
        page = json("alarms", "--limit", "2", "--after", cursor);
      }
      assertThat(seen).hasSize(7).doesNotHaveDuplicates();
      assertThat(seen.stream().map(each -> each.substring(0, 20))).isSorted();
      assertThat(inspect("alarms", "--limit", "2").err()).contains("--after");
      assertThat(json("alarms", "--limit", "9", "--abandoned")).isEmpty();
      assertThat(inspect("alarms", "--limit", "2", "--after", "nonsense").code()).isEqualTo(2);
    }
    assertThat(json("alarms", "a", "--limit", "9")).as("of a stopped directory").hasSize(4);
  }

  @Test
  void consumersAreListedWithTheirLagAndWithoutEvents() {
    try (ObjectRuntime runtime = open()) {
      runtime.consume("sales", "index", String.class, _ -> {}).close();
      runtime.namespace("a", Account.class).getByName("n").add(1);
      requireBehind(json("consumers"), inspect("consumers").out());
    }
    requireBehind(json("consumers"), inspect("consumers").out());
  }

  private static void requireBehind(JsonNode consumers, String text) {
    assertThat(consumers).hasSize(1);
    JsonNode index = consumers.get(0);
    assertThat(index.get("topic").asString()).isEqualTo("sales");
    assertThat(index.get("name").asString()).isEqualTo("index");
    assertThat(index.get("lagRecords").asLong()).isPositive();
    assertThat(index.get("waitingSince").asString()).startsWith("2099-01-01T");
    assertThat(index.get("isRunning").asBoolean()).isFalse();
    assertThat(text).doesNotContain("marker");
  }

  @Test
  void backupInTheBackgroundIsAJobAndWritesOnlyWhereNothingIs() throws Exception {
    try (ObjectRuntime runtime = open()) {
      runtime.namespace("a", Account.class).getByName("n").add(1);
      OperatorConnection socket = OperatorConnection.find(data).orElseThrow();
      Path full = Files.createDirectory(temporary.resolve("full"));
      Files.writeString(full.resolve("notes"), "mine");
      Path link = Files.createSymbolicLink(temporary.resolve("link"), full);
      for (String refused :
          List.of("relative", full.toString(), link.toString(), temporary + "/../x", data + "/x")) {
        try {
          socket.perform(backup(refused), _ -> {});
        } catch (OperatorException e) {
          assertThat(e.reason()).isEqualTo(OperatorException.Reason.WRONG_REQUEST);
          continue;
        }
        assertThat(ended().get("state").asString()).as(refused).isEqualTo("failed");
      }
      assertThat(full).isDirectoryContaining("glob:**/notes");

      Path target = temporary.resolve("backup");
      socket.perform(backup(target.toString()), _ -> {});
      JsonNode job = ended();
      assertThat(job.get("state").asString()).isEqualTo("done");
      assertThat(job.get("result").get("directory").asString()).isEqualTo(target.toString());
      assertThatThrownBy(() -> socket.perform(backup(target.toString()), _ -> {}))
          .hasMessageContaining("is not empty");
    }
  }

  @Test
  void jobIsSeenByEveryoneWhoLooksAtTheRuntime() throws Exception {
    try (ObjectRuntime runtime = open()) {
      Operations embedded = new Operations(((Inspectable) runtime).inspected());
      Path target = temporary.resolve("backup");
      embedded.perform(backup(target.toString()), _ -> {});
      assertThat(ended().get("subject").asString()).isEqualTo(target.toString());
      assertThat(json("jobs").get(0).get("began").asString()).startsWith("2099-01-01T");

      Path other = temporary.resolve("other");
      OperatorConnection.find(data).orElseThrow().perform(backup(other.toString()), _ -> {});
      ended();
      List<Object> subjects = new ArrayList<>();
      new Operations(((Inspectable) runtime).inspected())
          .perform(OperatorRequest.of("jobs"), answer -> subjects.add(answer.get("subject")));
      assertThat(subjects).containsExactly(other.toString());
    }
  }

  @Test
  void consumerIsMovedAndForgotten() {
    try (ObjectRuntime runtime = open()) {
      runtime.consume("sales", "index", String.class, _ -> {}).close();
      runtime.namespace("a", Account.class).getByName("n").add(1);
      assertThat(inspect("consumer-reset", "sales", "index", "--to", "now").err())
          .contains("add --yes");
      long before = position();

      assertThat(json("consumer-reset", "sales", "index", "--to", "now", "--yes").toString())
          .contains("\"topic\":\"sales\"", "\"consumer\":\"index\"", "\"reset\":\"now\"");
      assertThat(position()).isGreaterThan(before);
      inspect("consumer-reset", "sales", "index", "--to", "oldest", "--yes");
      assertThat(position()).isLessThanOrEqualTo(before);
      assertThat(inspect("consumer-reset", "sales", "index", "--to", "when", "--yes").code())
          .isEqualTo(2);
      assertThat(inspect("consumer-reset", "sales", "other", "--to", "now", "--yes").code())
          .isEqualTo(1);
      runtime.consume("sales", "runs", String.class, _ -> {});
      assertThat(inspect("consumer-remove", "sales", "runs", "--yes").err()).contains("runs");
    }
    assertThat(inspect("consumer-reset", "sales", "index", "--to", "now", "--yes").code())
        .as("of a stopped directory")
        .isZero();
    assertThat(json("consumer-remove", "sales", "index", "--yes").get("removed").asBoolean())
        .isTrue();
    assertThat(json("consumer-remove", "sales", "index", "--yes").get("removed").asBoolean())
        .isFalse();
  }

  private long position() {
    return json("consumers").get(0).get("position").asLong();
  }

  private static OperatorRequest backup(String to) {
    return OperatorRequest.of("backup").with("to", to).with("background", true);
  }

  private JsonNode ended() {
    JsonNode job;
    do {
      job = json("jobs").get(0);
    } while (job.get("state").asString().equals("running"));
    return job;
  }
}
