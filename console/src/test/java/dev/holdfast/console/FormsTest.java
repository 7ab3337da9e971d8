package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Forms as browsers send them: each end of a line in a field becomes CR and LF. */
@TestInstance(Lifecycle.PER_CLASS)
class FormsTest {

  private static final String OPERATOR = "operator-operator-operator";
  private static final Pattern FORM =
      Pattern.compile(
          "<form method=\"post\" action=\"/([^\"]*)\"[^>]*>(.*?)</form>", Pattern.DOTALL);
  private static final Pattern HIDDEN =
      Pattern.compile("<input type=\"hidden\" name=\"([^\"]*)\" value=\"([^\"]*)\">");

  @TempDir private static Path directory;

  private ObjectRuntime runtime;
  private HoldfastConsole console;
  private Browser browser;

  @BeforeAll
  void open() throws Exception {
    runtime =
        Holdfast.open(directory, open -> open.namespace("notes", Notes.class, NotesObject::new));
    console =
        HoldfastConsole.start(
            runtime,
            ConsoleOptions.DEFAULT
                .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, OPERATOR)));
    browser = Browser.in(console.address(), OPERATOR);
  }

  @AfterAll
  void close() {
    console.close();
    runtime.close();
  }

  private Notes notes(String name) {
    return runtime.namespace("notes", Notes.class).getByName(name);
  }

  private static String about(String page, String name) {
    return page + "?namespace=notes&object=" + Browser.query(name);
  }

  /** Sends the form of a page that leads to a path, with what a person types. */
  private String send(String page, String path, Map<String, String> typed) throws Exception {
    Matcher form = FORM.matcher(page);
    while (form.find()) {
      String action = unescaped(form.group(1));
      if (action.equals(path) || action.startsWith(path + "?")) {
        Map<String, String> fields = new HashMap<>(typed);
        HIDDEN
            .matcher(form.group(2))
            .results()
            .forEach(each -> fields.put(each.group(1), unescaped(each.group(2))));
        fields.replaceAll((_, value) -> value.replaceAll("\r\n|\r|\n", "\r\n"));
        return browser.post(action, fields).body();
      }
    }
    throw new AssertionError("no form leads to " + path + ": " + page);
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&");
  }

  @Test
  void aKeyWithLinesIsTheOneThatIsChanged() throws Exception {
    for (String key : new String[] {"a\nb", "a\r\nb", "a\rb"}) {
      notes("lines").put(key, "old");
    }
    for (String key : new String[] {"a\nb", "a\r\nb", "a\rb"}) {
      String page = browser.get(about("object/key", "lines") + "&key=" + Browser.query(key)).body();
      String asked = send(page, "object/ask", Map.of("value", "\"new\""));
      String done = send(asked, "object/act", Map.of());

      assertThat(done).contains("The key has the value.");
      assertThat(notes("lines").get(key)).isEqualTo("new");
      send(done, "object/act", Map.of());
      assertThat(notes("lines").get(key)).isEqualTo("old");
    }
  }

  @Test
  void anObjectWithLinesIsTheOneThatIsRestored() throws Exception {
    notes("an\nobject").put("key", "old");
    String past = browser.get(about("object/time", "an\nobject")).body();
    String state = past.replaceAll("(?s).*Show</a> .*?state=([^\"&]*)\".*", "$1");
    notes("an\nobject").put("key", "new");

    String asked = browser.get(about("object/restore", "an\nobject") + "&state=" + state).body();
    assertThat(send(asked, "object/act", Map.of())).contains("in the chosen state");

    assertThat(notes("an\nobject").get("key")).isEqualTo("old");
  }

  @Test
  void aStatementHasTheLinesThatWereTyped() throws Exception {
    notes("typed").put("key", "value");
    String statement = "INSERT INTO line VALUES ('one\ntwo')";

    String page = browser.get(about("object/sql", "typed")).body();
    String asked = send(page, "object/sql", Map.of("sql", statement));
    assertThat(asked).contains("one\ntwo").doesNotContain("one\r\ntwo");
    String question =
        browser
            .submit(about("object/ask", "typed"), Map.of("action", "exec", "sql", statement))
            .body();
    assertThat(send(question, "object/act", Map.of())).contains("has written 1 rows");

    String count = "SELECT 'found: ' || count(*) FROM line WHERE text = 'one' || char(10) || 'two'";
    assertThat(send(page, "object/sql", Map.of("sql", count))).contains("found: 1");
  }

  @Test
  void aChangeThatTakesLongerThanAPageMayStillHappen() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    OperatorService slow =
        (request, answers) -> {
          if (request.verb().equals("alarm-discard")) {
            try {
              end.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          throw new OperatorException(OperatorException.Reason.FAILED, "nothing here");
        };
    try (HoldfastConsole other =
        HoldfastConsole.start(
            slow,
            ConsoleOptions.DEFAULT
                .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, OPERATOR)))) {
      HttpResponse<String> answer =
          Browser.in(other.address(), OPERATOR)
              .submit(
                  "alarms/act", Map.of("action", "discard", "namespace", "notes", "object", "a"));

      assertThat(answer.statusCode()).isEqualTo(504);
      assertThat(answer.body()).contains("may still happen");
    } finally {
      end.countDown();
    }
  }

  @Test
  void aNameIsConfirmedAsItIsShown() throws Exception {
    notes(" two  words ").put("key", "value");

    String question = browser.get(about("object/act", " two  words ") + "&action=purge").body();
    assertThat(send(question, "object/act", Map.of("confirm", "two word"))).contains("as it was");
    assertThat(send(question, "object/act", Map.of("confirm", "two words")))
        .contains("The history is gone");
  }
}
