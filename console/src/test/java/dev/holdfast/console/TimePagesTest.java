package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of the past: a time line, earlier states, comparisons, commits, files. */
class TimePagesTest {

  private static final String TOKEN = "operator-operator-operator";
  private static final String MARKUP = "<script>alert(1)</script>&\"'";

  @TempDir private Path directory;

  private ObjectRuntime runtime;
  private HoldfastConsole console;
  private Browser browser;

  /** Has keys and no tables, as every storage engine can. */
  private record Keys(ObjectContext context) implements Notes {

    @Override
    public void put(String key, String value) {
      context.storage().put(key, value);
    }

    @Override
    public String get(String key) {
      return context.storage().get(key, String.class).orElse("nothing");
    }
  }

  @BeforeEach
  void open() throws Exception {
    runtime =
        Holdfast.open(
            directory,
            open -> {
              open.namespace("notes", Notes.class, NotesObject::new);
              open.namespace(
                  "rocks",
                  Notes.class,
                  Keys::new,
                  NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB));
            });
    console = HoldfastConsole.start(runtime, options());
    browser = Browser.in(console.address(), TOKEN);
  }

  private static ConsoleOptions options() {
    return ConsoleOptions.DEFAULT
        .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, TOKEN));
  }

  @AfterEach
  void close() {
    console.close();
    runtime.close();
  }

  private Notes notes(String namespace, String name) {
    return runtime.namespace(namespace, Notes.class).getByName(name);
  }

  private String newest(String namespace, String name) {
    return runtime
        .recovery(namespace, runtime.namespace(namespace, Notes.class).idFromName(name))
        .history(1)
        .entries()
        .getFirst()
        .bookmark();
  }

  private String get(String path) throws Exception {
    HttpResponse<String> answer = browser.get(path);
    assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(200);
    return answer.body();
  }

  @ParameterizedTest
  @ValueSource(strings = {"notes", "rocks"})
  void anyMomentIsShownAndComparedAndRestored(String namespace) throws Exception {
    notes(namespace, "a").put("key", "older value");
    String before = newest(namespace, "a");
    notes(namespace, "a").put("key", "newer value");
    String after = newest(namespace, "a");
    notes(namespace, "a").put("more", "newest value");
    String object = "namespace=" + namespace + "&object=a";

    assertThat(get("object/at?" + object + "&state=" + before))
        .contains("older value")
        .doesNotContain("newer value");
    assertThat(get("object/time?" + object)).contains("<rect").contains("3 changes");
    assertThat(get("object/time?" + object + "&state=" + before + "&other=" + after))
        .contains("older value")
        .contains("newer value")
        .doesNotContain("newest value");
    assertThat(get("object/restore?" + object + "&state=" + before))
        .contains("What will change")
        .contains("removed")
        .contains("newest value");
    assertThat(
            browser
                .submit(
                    "object/act",
                    Map.of(
                        "action",
                        "restore",
                        "namespace",
                        namespace,
                        "object",
                        "a",
                        "bookmark",
                        before))
                .body())
        .contains("Undo");
    assertThat(notes(namespace, "a").get("key")).isEqualTo("older value");
  }

  @Test
  void rowsAreShownAsTheyWereAndTheTimeLineIsZoomed() throws Exception {
    for (int each = 0; each < 60; each++) {
      notes("notes", "a").put("key", "row " + each);
    }
    String rows = "object/at?namespace=notes&object=a&state=" + newest("notes", "a");
    assertThat(get(rows + "&table=line")).contains("row 49").doesNotContain("<td><code>\"row 50");
    assertThat(get(rows + "&table=line&rows=50")).contains("row 50").contains("row 59");

    String time = get("object/time?namespace=notes&object=a");
    assertThat(time).contains("60 changes").contains("Older changes");
    Matcher bar = Pattern.compile("<a tabindex=\"-1\" href=\"([^\"]*)\"").matcher(time);
    assertThat(bar.find()).isTrue();
    assertThat(get(bar.group(1).replace("&amp;", "&").substring(1))).contains("<rect");
    assertThat(
            get(
                "object/time?namespace=notes&object=a&since=2000-01-01T00:00:00Z"
                    + "&until=2000-01-02T00:00:00Z"))
        .contains("No change is kept in this span")
        .contains("Show all changes");
    assertThat(browser.get("object/time?namespace=notes&object=a&since=x").statusCode())
        .isEqualTo(400);
    assertThat(browser.get("object/at?namespace=notes&object=a&state=x").statusCode())
        .isEqualTo(409);
  }

  @ParameterizedTest
  @ValueSource(strings = {"notes", "rocks"})
  void aCommitIsOpenedAndTheJournalSaysWhoWritesMost(String namespace) throws Exception {
    notes(namespace, "a").put("key", "older value");
    notes(namespace, "a").put("key", "newer value");
    Matcher last =
        Pattern.compile("(?s)position=(\\d+)\"[^=]*=[^=]*=[^=]*<td>batch<").matcher(get("journal"));
    assertThat(last.find()).isTrue();
    assertThat(get("journal/commit?position=" + last.group(1)))
        .contains("older value")
        .contains("newer value")
        .contains("Change before it");
    assertThat(get("journal/growth")).contains("<rect").contains(">a</a>");
    assertThat(browser.get("journal/commit?position=99999").statusCode()).isEqualTo(409);
    assertThat(browser.get("journal/commit?position=x").statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"notes", "rocks"})
  void anObjectIsExportedAndImported(String namespace) throws Exception {
    notes(namespace, "a").put("key", "carried over");
    HttpResponse<byte[]> file = export(namespace, "a");
    assertThat(file.headers().firstValue("content-disposition").orElseThrow())
        .contains("attachment");
    assertThat(new String(file.body(), 0, 15, StandardCharsets.US_ASCII))
        .isEqualTo("SQLite format 3");

    notes(namespace, "b").put("key", "replaced");
    assertThat(send(namespace, "b", file.body(), "wrong").statusCode()).isEqualTo(403);
    assertThat(notes(namespace, "b").get("key")).isEqualTo("replaced");
    HttpResponse<String> imported = send(namespace, "b", file.body(), browser.form());
    assertThat(imported.statusCode()).as(imported.body()).isEqualTo(200);
    assertThat(imported.body()).contains("replaced").contains("Restore this state");
    assertThat(notes(namespace, "b").get("key")).isEqualTo("carried over");
    assertThat(send(namespace, "b", new byte[] {1, 2, 3}, browser.form()).statusCode())
        .isEqualTo(409);
  }

  private HttpResponse<byte[]> export(String namespace, String name) throws Exception {
    return browser.send(
        browser
            .request(
                "object/export",
                Map.of("form", browser.form(), "namespace", namespace, "object", name))
            .build(),
        BodyHandlers.ofByteArray());
  }

  private HttpResponse<String> send(String namespace, String name, byte[] file, String secret)
      throws Exception {
    return browser.send(
        HttpRequest.newBuilder(
                console
                    .address()
                    .resolve("object/import?namespace=" + namespace + "&object=" + name))
            .header("Content-Type", "application/vnd.sqlite3")
            .header("X-Holdfast-Form", secret)
            .POST(BodyPublishers.ofByteArray(file))
            .build(),
        BodyHandlers.ofString());
  }

  /** Every page of the past about an object with these texts. */
  private List<String> pages(String namespace, String name, String text) throws Exception {
    notes(namespace, name).put("key", "first");
    String before = newest(namespace, name);
    notes(namespace, name).put(text, text);
    notes(namespace, name).put("key", text);
    String object = "namespace=" + namespace + "&object=" + Browser.query(name);
    String state = "&state=" + newest(namespace, name);
    List<String> pages = new ArrayList<>();
    pages.add("object/time?" + object);
    pages.add("object/time?" + object + "&state=" + before);
    pages.add("object/time?" + object + state + "&other=" + before);
    pages.add("object/at?" + object + state);
    pages.add("object/at?" + object + state + "&table=line");
    pages.add("object/restore?" + object + "&state=" + before);
    pages.add("journal/growth");
    Matcher commits = Pattern.compile("journal/commit\\?position=\\d+").matcher(get("journal"));
    while (commits.find()) {
      pages.add(commits.group());
    }
    return pages;
  }

  @Test
  void namesKeysAndValuesAreTextAndNeverMarkup() throws Exception {
    for (String page : pages("notes", MARKUP, MARKUP)) {
      assertThat(get(page)).as(page).doesNotContain("<script>alert");
    }
    for (String page :
        List.of(
            "object/at?namespace=notes&object=a&state=" + Browser.query(MARKUP),
            "object/time?namespace=notes&object=a&state=" + Browser.query(MARKUP),
            "object/time?namespace=notes&object=a&other=" + Browser.query(MARKUP),
            "object/time?namespace=notes&object=" + Browser.query(MARKUP))) {
      assertThat(browser.get(page).body()).as(page).doesNotContain("<script>alert");
    }
  }

  @Test
  void hiddenValuesAreInNoAnswer() throws Exception {
    String marker = "marker-of-a-value";
    notes("notes", "secret").put("other", marker);
    List<String> pages = pages("notes", "secret", "plain");
    for (String namespace : List.of("notes", "rocks")) {
      notes(namespace, "secret").put("key", marker);
      String state = "&state=" + newest(namespace, "secret");
      notes(namespace, "secret").put("key", marker + 2);
      pages.add("object/at?namespace=" + namespace + "&object=secret" + state);
      pages.add("object/time?namespace=" + namespace + "&object=secret" + state);
      pages.add("object/restore?namespace=" + namespace + "&object=secret" + state);
    }
    try (HoldfastConsole redacted = HoldfastConsole.start(runtime, options().withRedaction())) {
      browser = Browser.in(redacted.address(), TOKEN);
      for (String page : pages) {
        assertThat(get(page)).as(page).doesNotContain(marker);
      }
      HttpResponse<byte[]> file = export("notes", "secret");
      assertThat(file.statusCode()).isEqualTo(403);
      assertThat(new String(file.body(), StandardCharsets.UTF_8)).doesNotContain(marker);
    }
  }
}
