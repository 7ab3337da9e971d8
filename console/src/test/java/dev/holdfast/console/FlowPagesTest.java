package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.alarm.AbandonAlarmException;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.testkit.VirtualClock;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages of alarms, events, the archive and backups. */
class FlowPagesTest {

  private static final String VIEWER = "viewer-viewer-viewer-viewer";
  private static final String MARKUP = "<script>alert(1)</script>&\"'";
  private static final String MARKER = "marker-of-an-event";

  @TempDir private Path directory;

  private final VirtualClock clock = new VirtualClock(Instant.parse("2100-01-01T00:00:00Z"));
  private final AtomicBoolean fails = new AtomicBoolean(true);
  private ObjectRuntime runtime;
  private HoldfastConsole console;

  private record Reminder(ObjectContext context, AtomicBoolean fails)
      implements Notes, AlarmHandler {

    @Override
    public void put(String key, String value) {
      context.storage().put(key, value);
      Duration time = Duration.parse(value);
      if (key.equals("every")) {
        context.storage().schedules().every(key, time, MissedRuns.ONCE);
      } else {
        context.storage().schedules().at(key, context.clock().instant().plus(time));
      }
      context.emit(MARKUP, MARKER);
    }

    @Override
    public String get(String key) {
      return "";
    }

    @Override
    public void alarm(AlarmInfo alarm) throws AbandonAlarmException {
      if (fails.get()) {
        throw new AbandonAlarmException("planned", null);
      }
    }
  }

  @BeforeEach
  void open() throws Exception {
    runtime =
        Holdfast.open(
            directory.resolve("data"),
            clock,
            open ->
                open.namespace("reminders", Notes.class, context -> new Reminder(context, fails))
                    .options(
                        RuntimeOptions.DEFAULT.withArchive(
                            ArchiveOptions.to(new DirectoryArchive(directory.resolve("archive")))
                                .withRetention(Duration.ofDays(90)))));
    console = start(options().withToken(ConsoleToken.of(ConsoleRole.VIEWER, VIEWER)));
  }

  private HoldfastConsole start(ConsoleOptions options) throws Exception {
    return HoldfastConsole.start(
        runtime, options.withToken(ConsoleToken.of(ConsoleRole.OPERATOR, "o".repeat(20))));
  }

  private static ConsoleOptions options() {
    return ConsoleOptions.DEFAULT.withAddress(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() {
    console.close();
    runtime.close();
  }

  private Browser operator() throws Exception {
    return Browser.in(console.address(), "o".repeat(20));
  }

  private Notes reminder(String name) {
    return runtime.namespace("reminders", Notes.class).getByName(name);
  }

  @Test
  void alarmsAreShownByPages() throws Exception {
    for (int each = 0; each < 101; each++) {
      reminder("r" + each).put("later", "PT1H");
    }
    String first = operator().get("alarms").body();
    assertThat(first).contains("2100-01-01T01:00:00Z", "Next page").doesNotContain("Rearm");

    String next = first.replaceAll("(?s).*rel=\"next\" href=\"([^\"]*)\".*", "$1");
    String last = operator().get(next.replace("&amp;", "&")).body();
    assertThat(last).containsOnlyOnce(">later</td>").doesNotContain("Next page");
    assertThat(operator().get("alarms?namespace=nowhere").statusCode()).isEqualTo(409);
    assertThat(operator().get("alarms?after=nonsense").statusCode()).isEqualTo(400);
  }

  @Test
  void scheduleIsNamedByItsObjectAndAmongTheAlarms() throws Exception {
    reminder("ann").put("every", "PT25H1.5S");
    for (String page :
        List.of(
            "object?namespace=reminders&object=ann",
            "object/at?namespace=reminders&object=ann&state=2100-01-01T00:00:00Z",
            "alarms")) {
      assertThat(operator().get(page).body())
          .as(page)
          .contains("<td>every</td>", "2100-01-02T01:00:01.500Z")
          .contains("every 1 d 1 h 1 s 500 ms; missed runs: once");
    }
  }

  @Test
  void alarmThatWasGivenUpIsRearmedOrDiscarded() throws Exception {
    reminder("ann").put(MARKUP, "PT1S");
    reminder("bob").put("b", "PT1S");
    clock.advance(Duration.ofSeconds(2));
    fails.set(false);
    Browser browser = operator();

    String page = browser.get("alarms?state=abandoned").body();
    assertThat(page)
        .contains(">ann</a>", ">bob</a>", "Rearm", "&lt;script")
        .doesNotContain("<script>alert");
    assertThat(Browser.in(console.address(), VIEWER).get("alarms?state=abandoned").body())
        .contains(">ann</a>")
        .doesNotContain("Rearm");
    Map<String, String> rearm =
        Map.of("action", "rearm", "namespace", "reminders", "object", "ann", "alarm", MARKUP);
    String question =
        browser
            .get(
                "alarms/act?action=rearm&namespace=reminders&object=ann&alarm="
                    + Browser.query(MARKUP))
            .body();
    assertThat(question).contains("It fires at once").doesNotContain("<script>alert");
    assertThat(browser.submit("alarms/act", rearm).body())
        .contains("The alarm is set again")
        .doesNotContain(">ann</a>");
    Map<String, String> discard =
        Map.of("action", "discard", "namespace", "reminders", "object", "bob", "alarm", "b");
    assertThat(browser.submit("alarms/act", discard).body())
        .contains("The alarm is deleted", "No alarm was given up");
    assertThat(browser.submit("alarms/act", discard).statusCode()).isEqualTo(409);
  }

  @Test
  void consumersAreShownWithTheirLagAndWithoutEvents() throws Exception {
    assertThat(operator().get("events").body()).contains("No consumer reads events here");
    runtime.consume(MARKUP, "index", String.class, _ -> {}).close();
    reminder("ann").put("a", "PT1H");

    String page = operator().get("events").body();
    assertThat(page)
        .contains("&lt;script", ">index</td>", "does not run", "2100-01-01T00:00:00Z")
        .doesNotContain("<script>alert", MARKER);
  }

  @Test
  void consumerIsResetAndRemovedAfterAQuestion() throws Exception {
    runtime.consume(MARKUP, "index", String.class, _ -> {}).close();
    reminder("ann").put("a", "PT1H");
    Browser browser = operator();

    assertThat(browser.get("events").body()).contains("Reset to the oldest", "Remove");
    assertThat(Browser.in(console.address(), VIEWER).get("events").body())
        .contains(">index</td>")
        .doesNotContain("events/act");
    String name = "&topic=" + Browser.query(MARKUP) + "&consumer=index";
    assertThat(browser.get("events/act?action=now" + name).body())
        .contains("&lt;script", "are skipped", "cannot be undone")
        .doesNotContain("<script>alert");
    long before = position();
    assertThat(browser.submit("events/act", consumer("now")).body())
        .contains("The consumer goes on at its new place.");
    assertThat(position()).isGreaterThan(before);
    browser.submit("events/act", consumer("oldest"));
    assertThat(position()).isLessThanOrEqualTo(before);
    runtime.consume(MARKUP, "index", String.class, _ -> {});
    assertThat(browser.get("events").body()).doesNotContain("action=remove");
    HttpResponse<String> refused = browser.submit("events/act", consumer("remove"));
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(browser.submit("events/act", consumer("other")).statusCode()).isEqualTo(400);
  }

  @Test
  void consumerThatDoesNotRunIsRemoved() throws Exception {
    runtime.consume(MARKUP, "index", String.class, _ -> {}).close();

    assertThat(operator().submit("events/act", consumer("remove")).body())
        .contains("The consumer is forgotten.", "No consumer reads events here");
    assertThat(runtime.admin().consumers()).isEmpty();
  }

  private long position() {
    return runtime.admin().consumers().getFirst().position();
  }

  private static Map<String, String> consumer(String action) {
    return Map.of("action", action, "topic", MARKUP, "consumer", "index");
  }

  @Test
  void backupIsMadeWhereNothingIsAndShownWithItsResult() throws Exception {
    reminder("ann").put("a", "PT1H");
    Path full = Files.createDirectory(directory.resolve("full"));
    Path mine = Files.writeString(full.resolve("mine"), "mine");
    Browser browser = operator();

    for (String refused : List.of(full.toString(), "relative", directory + "/../x")) {
      HttpResponse<String> answer = browser.submit("archive/act", backup(refused));
      assertThat(answer.statusCode()).as(refused).isEqualTo(400);
      assertThat(answer.body()).contains("No backup was started");
    }
    assertThat(mine).hasContent("mine");
    String target = directory.resolve("backup").toString();
    assertThat(browser.get("archive/act?action=backup&to=" + Browser.query(target)).body())
        .contains(target, "must be missing or empty");
    browser.submit("archive/act", backup(target));
    assertThat(ended(browser)).contains(target, "done", "files as of position");
    assertThat(directory.resolve("backup")).isDirectoryContaining("glob:**/backup.manifest");
  }

  private static Map<String, String> backup(String to) {
    return Map.of("action", "backup", "to", to);
  }

  private static String ended(Browser browser) throws Exception {
    String page;
    do {
      page = browser.get("archive/live").body();
    } while (page.contains("<td>running</td>"));
    return page;
  }

  @Test
  void archiveIsShownAndPurged() throws Exception {
    reminder("ann").put("a", "PT1H");
    clock.advance(Duration.ofMinutes(1));
    Browser browser = operator();

    assertThat(browser.get("archive").body())
        .contains(
            "RUNNING", "90 days", "Archived position", "Records to archive", "Purge the archive");
    assertThat(Browser.in(console.address(), VIEWER).get("archive").body())
        .contains("RUNNING")
        .doesNotContain("Purge the archive", "Back up");
    assertThat(browser.get("archive/act?action=purge").body()).contains("cannot be undone");
    browser.submit("archive/act", Map.of("action", "purge"));
    assertThat(browser.get("archive").body()).contains("archive purge");
  }

  @Test
  void hiddenValuesAreInNoAnswer() throws Exception {
    runtime.consume(MARKUP, "index", String.class, _ -> {}).close();
    reminder("ann").put("a", "PT1H23M45S");
    try (HoldfastConsole redacted = start(options().withRedaction())) {
      Browser browser = Browser.in(redacted.address(), "o".repeat(20));
      for (String page : List.of("alarms", "events", "archive", "archive/live")) {
        HttpResponse<String> answer = browser.get(page);
        assertThat(answer.statusCode()).as(page).isEqualTo(200);
        assertThat(answer.body()).as(page).doesNotContain(MARKER, "PT1H23M45S");
      }
    }
  }
}
