package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages about one object, and the changes that are made there. */
@TestInstance(Lifecycle.PER_CLASS)
class ObjectPagesTest {

  private static final String OPERATOR = "operator-operator-operator";
  private static final String VIEWER = "viewer-viewer-viewer-viewer";
  private static final String MARKUP = "<script>alert(1)</script>&\"'";
  private static final CountDownLatch STUCK = new CountDownLatch(1);

  /** Has keys of any type, and is stuck when it is asked to be. */
  interface Things {
    void put(String key, Object value);

    Object get(String key);

    void hang();
  }

  private record ThingsObject(ObjectContext context) implements Things {

    @Override
    public void put(String key, Object value) {
      context.storage().put(key, value);
    }

    @Override
    public Object get(String key) {
      return context.storage().get(key, Object.class).orElse("nothing");
    }

    @Override
    public void hang() {
      try {
        STUCK.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @TempDir private static Path directory;

  private ObjectRuntime runtime;
  private HoldfastConsole console;

  @BeforeAll
  void open() throws Exception {
    runtime =
        Holdfast.open(
            directory,
            open ->
                open.namespace("notes", Notes.class, NotesObject::new)
                    .namespace("things", Things.class, ThingsObject::new)
                    .namespace(
                        "pairs",
                        Things.class,
                        ThingsObject::new,
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
    console =
        HoldfastConsole.start(
            runtime,
            options()
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, OPERATOR))
                .withToken(ConsoleToken.of(ConsoleRole.VIEWER, VIEWER)));
  }

  private static ConsoleOptions options() {
    return ConsoleOptions.DEFAULT.withAddress(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterAll
  void close() {
    STUCK.countDown();
    console.close();
    runtime.close();
  }

  private Things things(String namespace, String name) {
    return runtime.namespace(namespace, Things.class).getByName(name);
  }

  private Notes notes(String name) {
    return runtime.namespace("notes", Notes.class).getByName(name);
  }

  private ObjectId id(String namespace, String name) {
    return namespace.equals("notes")
        ? runtime.namespace(namespace, Notes.class).idFromName(name)
        : runtime.namespace(namespace, Things.class).idFromName(name);
  }

  private String about(String page, String namespace, String name) {
    return page + "?namespace=" + namespace + "&object=" + id(namespace, name);
  }

  private Map<String, String> change(
      String action, String namespace, String name, String... fields) {
    Map<String, String> form = new HashMap<>();
    form.put("action", action);
    form.put("namespace", namespace);
    form.put("object", id(namespace, name).toString());
    for (int at = 0; at < fields.length; at += 2) {
      form.put(fields[at], fields[at + 1]);
    }
    return form;
  }

  private Browser operator() throws Exception {
    return Browser.in(console.address(), OPERATOR);
  }

  private static void undo(Browser browser, Map<String, String> change, String done)
      throws Exception {
    Map<String, String> form = new HashMap<>(change);
    form.put("action", "restore");
    form.put("bookmark", done.replaceAll("(?s).*&bookmark=([^\"]*)\".*", "$1"));
    assertThat(browser.submit("object/act", form).body()).contains("in the chosen state");
  }

  @ParameterizedTest
  @ValueSource(strings = {"things", "pairs"})
  void aKeyIsShownWithItsTypesEditedAndUndone(String namespace) throws Exception {
    things(namespace, "edited")
        .put(
            "profile",
            Map.of(
                "since",
                Instant.parse("2026-11-23T10:00:00Z"),
                "photo",
                new byte[] {0, -1},
                "tags",
                List.of("a")));
    Browser browser = operator();

    String page = browser.get(about("object/key", namespace, "edited") + "&key=profile").body();
    assertThat(page)
        .contains("Date 2026-11-23T10:00:00Z")
        .contains("ArrayBuffer 00ff")
        .contains("<small>Array</small>")
        .contains("&#34;$type&#34;: &#34;Date&#34;");

    Map<String, String> put =
        change("put", namespace, "edited", "key", "profile", "value", "{\"n\": 5}");
    String asked = browser.submit("object/ask", put).body();
    assertThat(asked).contains("The key gets this value").contains("{&#34;n&#34;: 5}");
    assertThat(things(namespace, "edited").get("profile").toString()).contains("since");

    String done = browser.submit("object/act", put).body();
    assertThat(done).contains("The key has the value.");
    assertThat(things(namespace, "edited").get("profile")).hasToString("{n=5}");
    undo(browser, put, done);
    assertThat(things(namespace, "edited").get("profile").toString()).contains("since");
  }

  @Test
  void aValueThatCannotBeStoredIsRefused() throws Exception {
    things("things", "refused").put("key", 1L);

    HttpResponse<String> answer =
        operator()
            .submit(
                "object/act", change("put", "things", "refused", "key", "key", "value", MARKUP));

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("it is not JSON").doesNotContain("<script>alert");
    assertThat(things("things", "refused").get("key")).isEqualTo(1L);
  }

  @Test
  void aKeyIsDeletedAfterAQuestion() throws Exception {
    things("things", "removed").put("key", "value");
    things("things", "removed").put("other", "value");
    Browser browser = operator();

    assertThat(
            browser.get(about("object/act", "things", "removed") + "&action=remove&key=key").body())
        .contains("The key is deleted.");
    Map<String, String> remove = change("remove", "things", "removed", "key", "key");
    String done = browser.submit("object/act", remove).body();
    assertThat(things("things", "removed").get("key")).isEqualTo("nothing");
    undo(browser, remove, done);
    assertThat(things("things", "removed").get("key")).isEqualTo("value");
  }

  @ParameterizedTest
  @ValueSource(strings = {"things", "pairs"})
  void aDeletionIsUndone(String namespace) throws Exception {
    things(namespace, "deleted").put("key", 1L);
    things(namespace, "deleted").put("key", 2L);
    Browser browser = operator();
    Map<String, String> delete = change("delete", namespace, "deleted");

    String done = browser.submit("object/act", delete).body();

    assertThat(things(namespace, "deleted").get("key")).isEqualTo("nothing");
    undo(browser, delete, done);
    assertThat(things(namespace, "deleted").get("key")).isEqualTo(2L);
  }

  @Test
  void keysAreSearchedByTheirBeginning() throws Exception {
    things("things", "searched").put("apple", 1L);
    things("things", "searched").put("pear", 1L);

    assertThat(operator().get(about("object", "things", "searched") + "&prefix=ap").body())
        .contains(">apple</code>")
        .doesNotContain(">pear</code>");
  }

  @Test
  void aHugeValueIsCutAndDownloadedWhole() throws Exception {
    String huge = "v".repeat(120_000);
    things("things", "huge").put("key", huge);
    Browser browser = operator();

    assertThat(browser.get(about("object", "things", "huge")).body())
        .hasSizeLessThan(20_000)
        .contains("vvv ...");
    assertThat(browser.get(about("object/key", "things", "huge") + "&key=key").body())
        .hasSizeLessThan(20_000)
        .contains("too long for a form");
    HttpResponse<String> whole = browser.get(about("object/value", "things", "huge") + "&key=key");
    assertThat(whole.body()).isEqualTo("\"" + huge + "\"");
    assertThat(whole.headers().firstValue("content-disposition").orElseThrow())
        .startsWith("attachment");
  }

  @Test
  void rowsArePagedAndSorted() throws Exception {
    for (int row = 0; row < 60; row++) {
      notes("rows").put("key", "row %02d".formatted(row));
    }
    Browser browser = operator();
    String table = about("object/table", "notes", "rows") + "&table=line";

    String first = browser.get(table).body();
    assertThat(first).contains("row 00").contains("row 49").doesNotContain("row 50");
    String next = first.replaceAll("(?s).*rel=\"next\" href=\"/([^\"]*)\".*", "$1");
    assertThat(browser.get(next.replace("&amp;", "&")).body())
        .contains("row 50")
        .contains("row 59")
        .doesNotContain("rel=\"next\"");
    assertThat(browser.get(table + "&sort=text&order=descending").body())
        .contains("row 59")
        .doesNotContain("row 09");
    assertThat(browser.get(table + "&sort=missing").statusCode()).isEqualTo(400);
  }

  @Test
  void aStatementWritesAfterAQuestionAndIsUndone() throws Exception {
    notes("written").put("key", "a row");
    Browser browser = operator();
    Map<String, String> exec = change("exec", "notes", "written", "sql", "DELETE FROM line");
    Map<String, String> count =
        change("", "notes", "written", "sql", "SELECT 'rows: ' || count(*) FROM line");

    assertThat(browser.submit("object/ask", exec).body()).contains("DELETE FROM line");
    assertThat(browser.submit("object/sql", count).body()).contains("rows: 1");
    String done = browser.submit("object/act", exec).body();
    assertThat(done).contains("The statement has written 1 rows.");
    assertThat(browser.submit("object/sql", count).body()).contains("rows: 0");
    undo(browser, exec, done);
    assertThat(browser.submit("object/sql", count).body()).contains("rows: 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"things", "pairs"})
  void alarmsAreSetAndCancelled(String namespace) throws Exception {
    things(namespace, "armed").put("key", 1L);
    Browser browser = operator();
    Map<String, String> set =
        change("alarm-set", namespace, "armed", "alarm", MARKUP, "at", "2090-01-01T00:00:00Z");

    assertThat(browser.submit("object/ask", set).body()).contains("fires at this time");
    browser.submit("object/act", set);
    assertThat(browser.get(about("object", namespace, "armed")).body())
        .contains("2090-01-01T00:00:00Z")
        .contains("&lt;script&gt;")
        .doesNotContain("<script>alert");
    assertThat(
            browser
                .submit("object/act", change("alarm-cancel", namespace, "armed", "alarm", MARKUP))
                .body())
        .contains("The alarm is cancelled.");
    assertThat(browser.get(about("object", namespace, "armed")).body())
        .contains("No alarm is set.");
  }

  @Test
  void aHistoryIsPurgedOnlyWithTheNameOfTheObject() throws Exception {
    things("things", "purged").put("key", 1L);
    things("things", "purged").put("key", 2L);
    String before =
        runtime
            .recovery("things", id("things", "purged"))
            .history(2)
            .entries()
            .getLast()
            .bookmark();
    Browser browser = operator();

    assertThat(browser.get(about("object/act", "things", "purged") + "&action=purge").body())
        .contains("This cannot be undone.")
        .contains("Type <code>purged</code> to confirm");
    assertThat(browser.submit("object/act", change("purge", "things", "purged")).statusCode())
        .isEqualTo(400);
    assertThat(runtime.recovery("things", id("things", "purged")).history(2).entries()).hasSize(2);

    assertThat(
            browser
                .submit("object/act", change("purge", "things", "purged", "confirm", "purged"))
                .body())
        .contains("The history is gone");
    assertThat(things("things", "purged").get("key")).isEqualTo(2L);
    assertThat(
            browser
                .submit("object/act", change("restore", "things", "purged", "bookmark", before))
                .statusCode())
        .isEqualTo(409);
  }

  @Test
  void anObjectThatDoesNotEndItsTurnSaysWhatRuns() throws Exception {
    things("things", "stuck").put("key", 1L);
    Thread stuck = Thread.ofVirtual().start(() -> things("things", "stuck").hang());
    Browser browser = operator();
    String page = about("object/running", "things", "stuck") + "&stack=on";
    while (!browser.get(page).body().contains("ThingsObject.hang")) {
      Thread.onSpinWait();
    }

    HttpResponse<String> object = browser.get(about("object", "things", "stuck"));

    assertThat(object.statusCode()).isEqualTo(504);
    assertThat(object.body()).contains("did not answer").contains("hang").contains("runs");
    STUCK.countDown();
    stuck.join();
    assertThat(browser.get(page).body()).contains("Nothing runs for this object");
  }

  @Test
  void keysTablesAndColumnsAreTextAndNeverMarkup() throws Exception {
    things("things", MARKUP).put(MARKUP, Map.of(MARKUP, MARKUP));
    Browser browser = operator();
    notes("markup").put("key", MARKUP);
    String quoted = "\"" + MARKUP.replace("\"", "\"\"") + "\"";
    runtime
        .namespace("notes", Notes.class)
        .getByName("markup")
        .sql("CREATE TABLE " + quoted + " (" + quoted + ")");

    for (String page :
        new String[] {
          about("object", "things", MARKUP),
          about("object", "things", MARKUP) + "&prefix=" + Browser.query(MARKUP),
          about("object/key", "things", MARKUP) + "&key=" + Browser.query(MARKUP),
          about("object/key", "things", MARKUP) + "&key=" + Browser.query("none" + MARKUP),
          about("object/act", "things", MARKUP) + "&action=remove&key=" + Browser.query(MARKUP),
          about("object/act", "things", MARKUP) + "&action=purge",
          about("object/act", "things", MARKUP) + "&action=" + Browser.query(MARKUP),
          about("object/running", "things", MARKUP),
          about("object", "notes", "markup"),
          about("object/table", "notes", "markup") + "&table=line",
          about("object/table", "notes", "markup") + "&table=" + Browser.query(MARKUP),
          about("object/table", "notes", "markup") + "&table=" + Browser.query("none" + MARKUP)
        }) {
      String body = browser.get(page).body();
      assertThat(body).as(page).doesNotContain("<script>alert");
    }
    for (String statement :
        new String[] {"SELECT * FROM " + quoted, MARKUP, "SELECT 1 AS " + quoted}) {
      assertThat(
              browser.submit("object/sql", change("", "notes", "markup", "sql", statement)).body())
          .as(statement)
          .contains("&lt;script&gt;")
          .doesNotContain("<script>alert");
    }
  }

  @Test
  void hiddenValuesAreInNoAnswer() throws Exception {
    String marker = "marker-of-a-value";
    notes("secret").put("key", marker);
    try (HoldfastConsole redacted = HoldfastConsole.start(runtime, options().withRedaction())) {
      Browser browser = Browser.in(redacted.address(), redacted.newToken().orElseThrow());
      for (String page :
          new String[] {
            about("object", "notes", "secret"),
            about("object/key", "notes", "secret") + "&key=key",
            about("object/table", "notes", "secret") + "&table=line",
            about("object/table", "notes", "secret") + "&table=line&sort=text",
            about("object/running", "notes", "secret") + "&stack=on",
            about("object/act", "notes", "secret") + "&action=remove&key=key"
          }) {
        HttpResponse<String> answer = browser.get(page);
        assertThat(answer.statusCode()).as(page).isEqualTo(200);
        assertThat(answer.body()).as(page).doesNotContain(marker);
      }
      assertThat(browser.get(about("object/value", "notes", "secret") + "&key=key").statusCode())
          .isEqualTo(403);
      assertThat(browser.get(about("object/sql", "notes", "secret")).statusCode()).isEqualTo(403);
      for (String action : new String[] {"put", "exec"}) {
        for (String path : new String[] {"object/ask", "object/act"}) {
          HttpResponse<String> answer =
              browser.submit(
                  path,
                  change(
                      action,
                      "notes",
                      "secret",
                      "key",
                      "key",
                      "value",
                      "1",
                      "sql",
                      "UPDATE line SET text = text RETURNING text"));
          assertThat(answer.statusCode()).isEqualTo(403);
          assertThat(answer.body()).doesNotContain(marker);
        }
      }
      assertThat(
              browser
                  .submit("object/act", change("remove", "notes", "secret", "key", "key"))
                  .body())
          .contains("The key is deleted.")
          .doesNotContain(marker);
    }
  }

  @Test
  void tablesThatAreTooManyAreNotAllCounted() throws Exception {
    for (int each = 100; each <= 300; each++) {
      notes("tables").sql("CREATE TABLE t" + each + " (a)");
    }
    assertThat(operator().get(about("object", "notes", "tables")).body())
        .contains("<code>t100</code>", "<code>t299</code>", "There are more tables")
        .doesNotContain("t300");
  }

  @Test
  void viewersLookAndChangeNothing() throws Exception {
    notes("viewed").put("key", "value");
    Browser viewer = Browser.in(console.address(), VIEWER);

    assertThat(viewer.get(about("object", "notes", "viewed")).body())
        .contains("value")
        .doesNotContain("object/ask")
        .doesNotContain("object/act");
    assertThat(viewer.get(about("object/key", "notes", "viewed") + "&key=key").body())
        .doesNotContain("Set the value");
    assertThat(
            viewer
                .submit("object/act", change("put", "notes", "viewed", "key", "key", "value", "1"))
                .statusCode())
        .isEqualTo(403);
    assertThat(notes("viewed").get("key")).isEqualTo("value");
  }
}
