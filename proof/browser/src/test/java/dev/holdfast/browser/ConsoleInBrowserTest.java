package dev.holdfast.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.ConsoleRole;
import dev.holdfast.console.ConsoleToken;
import dev.holdfast.console.HoldfastConsole;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.operator.Operations;
import dev.holdfast.spi.inspect.Inspectable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The console in a real browser, with objects of both engines. */
@TestInstance(Lifecycle.PER_CLASS)
class ConsoleInBrowserTest {

  private static final String TOKEN = "operator-operator-operator";
  private static final String MARKUP = "<img src=x onerror=attacked=true>\"'&";

  /** In the address of a page: a state before the last change of its object. */
  private static final String EARLIER = "{earlier}";

  private static final boolean LONG = "long".equals(System.getProperty("holdfast.tests"));
  private static final int OBJECTS = LONG ? 10_000 : 300;
  private static final Path PICTURES = Path.of("target", "pictures");
  private static final Path MODULE = Path.of("");

  @TempDir private static Path shared;

  private final Map<String, String> earlier = new HashMap<>();
  private ObjectRuntime runtime;
  private HoldfastConsole console;
  private Chromium browser;

  @BeforeAll
  void start() throws IOException {
    Optional<Path> installed = Chromium.find();
    assumeTrue(installed.isPresent(), "no Chromium: apt-get install chromium");
    runtime =
        Holdfast.open(
            shared.resolve("data"),
            open ->
                open.namespace("bank", Account.class, BankAccountObject::new)
                    .namespace(
                        "cash",
                        Account.class,
                        AccountObject::new,
                        NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
    for (String namespace : List.of("bank", "cash")) {
      for (int each = 0; each < OBJECTS; each++) {
        account(namespace, "account-" + each).add(each, "opened");
      }
      account(namespace, MARKUP).add(1, MARKUP);
    }
    for (String namespace : List.of("bank", "cash")) {
      earlier.put(namespace, newest(namespace));
      account(namespace, "account-7").add(1, "changed");
    }
    runtime.consume("bookings", "index", String.class, _ -> {}).close();
    console =
        HoldfastConsole.start(
            runtime,
            ConsoleOptions.DEFAULT
                .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, TOKEN)));
    browser = Chromium.start(installed.orElseThrow(), shared.resolve("profile"));
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
    if (console != null) {
      console.close();
    }
    if (runtime != null) {
      runtime.close();
    }
  }

  private Account account(String namespace, String name) {
    return runtime.namespace(namespace, Account.class).getByName(name);
  }

  @BeforeEach
  void logIn() {
    browser.view(1280, 800, false);
    open("");
    if (browser.evaluate("location.pathname").equals("/login")) {
      browser.write("#token", TOKEN);
      browser.follow("form button");
    }
  }

  private String newest(String namespace) {
    ObjectId id = runtime.namespace(namespace, Account.class).idFromName("account-7");
    return runtime.recovery(namespace, id).history(1).entries().getFirst().bookmark();
  }

  private void open(String page) {
    String namespace = page.contains("namespace=cash") ? "cash" : "bank";
    browser.load(console.address() + page.replace(EARLIER, earlier.get(namespace)));
  }

  private String text(String selector) {
    return browser.evaluate("document.querySelector(" + Chromium.text(selector) + ")?.innerText");
  }

  /** Waits until an expression in the page holds, for which the page need not be loaded again. */
  private void await(String expression) {
    browser.await(
        """
        new Promise(done => {
          const look = () => (%s) ? done("") : requestAnimationFrame(look);
          look();
        })\
        """
            .formatted(expression));
  }

  static List<String> pages() {
    List<String> pages =
        new ArrayList<>(
            List.of(
                "",
                "activity",
                "alarms",
                "events",
                "events/act?action=now&topic=bookings&consumer=index",
                "archive",
                "journal",
                "journal/growth",
                "journal/commit?position=1",
                "statistics",
                "object/table?namespace=bank&object=account-7&table=booking",
                "object/sql?namespace=bank&object=account-7"));
    for (String namespace : List.of("bank", "cash")) {
      String object = "?namespace=" + namespace + "&object=account-7";
      pages.add("objects?namespace=" + namespace);
      pages.add("alarms?namespace=" + namespace);
      pages.add("object" + object);
      pages.add("object/key" + object + "&key=last");
      pages.add("object/running" + object);
      pages.add("object/time" + object);
      pages.add("object/time" + object + "&state=" + EARLIER);
      pages.add("object/at" + object + "&state=" + EARLIER);
      pages.add("object/restore" + object + "&state=" + EARLIER);
      pages.add("object/act" + object + "&action=delete");
    }
    return pages;
  }

  /** The templates of both engines are the same: the short run checks those of one. */
  static List<String> checkedPages() {
    return pages().stream().filter(page -> LONG || !page.contains("namespace=cash")).toList();
  }

  @ParameterizedTest
  @MethodSource("checkedPages")
  void pagesHaveNoSeriousBarrierAndNoErrors(String page) throws IOException {
    assumeTrue(PageChecks.haveAxe(MODULE), "no axe: npm ci in proof/browser/axe");
    open(page);
    assertThat(text("main .problem")).as(page).isEmpty();
    PageChecks.loadAxe(browser, MODULE);
    assertThat(PageChecks.barriers(browser)).as(page).isEmpty();
    keepPicture(page + "-light");

    browser.view(1280, 800, /* dark= */ true);
    assertThat(LONG ? PageChecks.barriers(browser) : PageChecks.barriersOfColours(browser))
        .as(page)
        .isEmpty();
    keepPicture(page + "-dark");
  }

  private void keepPicture(String page) {
    if (LONG) {
      String name = page.replaceAll("[^a-z0-9]+", "-");
      browser.picture(PICTURES.resolve("pages").resolve(name + ".png"));
    }
  }

  @Test
  void chartsAreDrawn() {
    open("");
    await("document.querySelectorAll('.charts canvas').length === 8");

    browser.view(1280, 1000, false);
    browser.picture(PICTURES.resolve("overview.png"));
  }

  @ParameterizedTest
  @ValueSource(ints = {320, 1280})
  void noPageIsWiderThanItsWindow(int width) {
    browser.view(width, 800, false);
    for (String page : pages()) {
      open(page);
      assertThat(PageChecks.tooWide(browser)).as(page).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"bank", "cash"})
  void markupIsTextEverywhere(String namespace) {
    open("objects?namespace=" + namespace);
    browser.follow("tbody a");
    assertThat(text("h1")).isEqualTo(MARKUP);
    assertThat(text("main")).contains(MARKUP);
    browser.evaluate("document.querySelector('.actions a').click()");
    assertThat(browser.evaluate("typeof attacked")).isEqualTo("undefined");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bank", "cash"})
  void anObjectIsRestoredAndTheRestoreUndoneByClicks(String namespace) {
    String name = "restored";
    account(namespace, name).add(100, "first");
    account(namespace, name).add(23, "second");

    open("object?namespace=" + namespace + "&object=" + name);
    browser.follow("a[href*='object/time']");
    browser.follow("tbody tr:nth-child(2) a:last-child"); // the change before the last one
    assertThat(text("main")).contains("100").contains("123");
    browser.follow("a[href*='object/restore']");
    browser.follow("main form button");
    assertThat(account(namespace, name).balance()).isEqualTo(100);

    browser.follow("main form button"); // undo
    assertThat(account(namespace, name).balance()).isEqualTo(123);
  }

  @Test
  void aConsumerIsRemovedByClicks() {
    runtime.consume("bookings", "left", String.class, _ -> {}).close();

    open("events");
    browser.follow("a[href*='action=remove'][href*='consumer=left']");
    browser.follow("main form button");

    assertThat(text("main")).contains("The consumer is forgotten").doesNotContain("left");
  }

  @Test
  void timesAreThoseOfTheReaderWithUtcBesideThem() {
    open("object?namespace=bank&object=account-7");

    String shown = "document.querySelector('main time').innerText";
    String time = browser.evaluate("document.querySelector('main time').title");
    assertThat(time).endsWith("Z");
    assertThat(browser.evaluate("new Date(" + Chromium.text(time) + ").toLocaleString()"))
        .isEqualTo(browser.evaluate(shown));
  }

  @Test
  void anIdIsCopied() {
    open("object?namespace=bank&object=account-7");
    browser.evaluate(
        """
        Object.defineProperty(navigator, "clipboard",
          {value: {writeText: text => { window.copied = text; return Promise.resolve(); }}}) && ''\
        """);
    browser.evaluate("document.querySelector('[data-copy]').click()");

    await("document.querySelector('[data-copy]').textContent === 'Copied'");
    assertThat(browser.evaluate("copied"))
        .isEqualTo(runtime.namespace("bank", Account.class).idFromName("account-7").toString());
  }

  @Test
  void keysMoveTheFocus() {
    open("objects?namespace=bank");
    browser.press("ArrowDown");
    browser.press("ArrowDown");
    assertThat(browser.evaluate("document.activeElement.closest('tr').rowIndex")).isEqualTo("2");
    browser.press("/");
    assertThat(browser.evaluate("document.activeElement.id")).isEqualTo("prefix");
    browser.press("Escape");
    assertThat(browser.evaluate("document.activeElement === document.body")).isEqualTo("true");
  }

  @Test
  void aSessionThatHasEndedLeadsToTheLoginAndBack() {
    open("objects?namespace=bank&prefix=account-1");
    browser.follow("header form button");
    open("objects?namespace=bank&prefix=account-2");
    assertThat(browser.evaluate("location.pathname")).isEqualTo("/login");

    browser.write("#token", TOKEN);
    browser.follow("form button");

    assertThat(browser.evaluate("location.pathname + location.search"))
        .isEqualTo("/objects?namespace=bank&prefix=account-2");
  }

  @Test
  void anOpenOverviewOfAnEndedSessionGoesToTheLogin() {
    open("");
    browser.evaluate(
        "fetch('/logout', {method: 'POST', body: new URLSearchParams(new FormData("
            + "document.querySelector('header form')))}) && ''");
    browser.awaitPage();

    assertThat(browser.evaluate("location.pathname")).isEqualTo("/login");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bank", "cash"})
  void aStateIsForkedByClicks(String namespace) {
    account(namespace, "origin").add(5, "first");
    account(namespace, "origin").add(6, "second");

    open("object/time?namespace=" + namespace + "&object=origin");
    browser.follow("tbody tr:nth-child(2) a:last-child");
    browser.follow("a[href*='action=fork']");
    browser.write("input[name=name]", "forked");
    browser.follow("main form button");

    assertThat(account(namespace, "forked").balance()).isEqualTo(5);
    assertThat(account(namespace, "origin").balance()).isEqualTo(11);
  }

  @Test
  void draggingOverTheTimeLineZoomsAndTheAddressHasTheSpan() {
    for (int each = 0; each < 20; each++) {
      account("bank", "dragged").add(each, "booking " + each);
    }
    open("object/time?namespace=bank&object=dragged");
    browser.drag(".timeline svg", 0.2, 0.8);
    browser.awaitPage();
    assertThat(browser.evaluate("location.search")).contains("since=").contains("until=");

    browser.evaluate("document.querySelector('.timeline').focus()");
    browser.press("0");
    browser.awaitPage();
    assertThat(browser.evaluate("location.search")).doesNotContain("since=");
    browser.follow("tbody tr:nth-child(10) a:last-child");
    browser.picture(PICTURES.resolve("time.png"));
  }

  @Test
  void aKeyIsChangedByItsFormAndTheChangeUndone() {
    account("bank", "edited").add(7, "first");

    open("object/key?namespace=bank&object=edited&key=balance");
    browser.write("main textarea", "700");
    browser.follow("main form button");
    browser.follow("main form button"); // the question
    assertThat(account("bank", "edited").balance()).isEqualTo(700);

    browser.follow("main form button"); // undo
    assertThat(account("bank", "edited").balance()).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bank", "cash"})
  void aFileOfAnObjectIsImportedByClicks(String namespace, @TempDir Path files) throws Exception {
    account(namespace, "exported").add(42, "exported");
    account(namespace, "imported").add(1, "replaced");
    Path file = files.resolve("object.sqlite");
    Files.write(file, exported(namespace));

    open("object/time?namespace=" + namespace + "&object=imported");
    browser.choose("#file", file);
    browser.evaluate("(window.confirm = () => true) && ''");
    browser.follow("form[data-import] button");

    assertThat(account(namespace, "imported").balance()).isEqualTo(42);
  }

  /** The bytes that the form of the page gets. */
  private byte[] exported(String namespace) {
    open("object/time?namespace=" + namespace + "&object=exported");
    return Base64.getDecoder()
        .decode(
            browser.await(
                """
                fetch(document.querySelector("form[action*='/object/export?']").action, {
                  method: "POST",
                  body: new URLSearchParams(
                    new FormData(document.querySelector("form[action*='/object/export?']")))
                }).then(answer => answer.arrayBuffer()).then(bytes => btoa(
                  [...new Uint8Array(bytes)].map(each => String.fromCharCode(each)).join("")))\
                """));
  }

  @Test
  void anOpenPageSaysThatItsRuntimeIsGoneAndGoesOnWithTheNextOne() throws IOException {
    Path directory = shared.resolve("other");
    AtomicReference<ObjectRuntime> shown = new AtomicReference<>(bank(directory));
    try (HoldfastConsole other =
        HoldfastConsole.start(
            (request, answers) ->
                new Operations(((Inspectable) shown.get()).inspected()).perform(request, answers),
            ConsoleOptions.DEFAULT
                .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, TOKEN)))) {
      browser.load(other.address().toString());
      browser.write("#token", TOKEN);
      browser.follow("form button");

      shown.get().close();
      awaitHealth("DOWN");
      shown.set(bank(directory));
      awaitHealth("UP");

      shown.get().close();
      awaitHealth("DOWN");
      Path restored = shared.resolve("restored");
      Holdfast.restore(directory, restored, RestoreRequest.of(new RestoreTarget.Latest()));
      shown.set(bank(restored));
      awaitHealth("UP");
    } finally {
      shown.get().close();
    }
    await("!document.getElementById('connection').hidden"); // the console is closed
  }

  private void awaitHealth(String state) {
    await("document.querySelector('.state').dataset.state === '" + state + "'");
  }

  private static ObjectRuntime bank(Path directory) {
    return Holdfast.open(
        directory, open -> open.namespace("bank", Account.class, BankAccountObject::new));
  }
}
