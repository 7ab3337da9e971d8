package dev.holdfast.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A headless Chromium with one tab, for which every host is this machine. Certificates are not
 * checked, and reports are sent at once instead of once a minute. Owned by one thread.
 */
public final class Chromium implements AutoCloseable {

  private static final String LISTENING = "DevTools listening on ws://";
  private static final int START_SECONDS_MAX = 300;
  private static final List<String> NAMES = List.of("chromium", "chromium-browser");
  private static final List<String> OPTIONS =
      List.of(
          "--headless",
          "--no-sandbox",
          "--disable-gpu",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--host-resolver-rules=MAP * 127.0.0.1",
          "--ignore-certificate-errors",
          "--short-reporting-delay",
          "--remote-debugging-port=0");

  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();
  private final DevTools tab;

  private Chromium(Process process) {
    this.process = process;
    try {
      tab = new DevTools(client, openTab(address(process)));
    } catch (RuntimeException | Error e) {
      end(process);
      throw e;
    }
    tab.command("Page.enable", Map.of());
  }

  /** {@return where it is installed} */
  public static Optional<Path> find() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts one with a profile of its own. */
  public static Chromium start(Path executable, Path profile) {
    List<String> command = new ArrayList<>(List.of(executable.toString()));
    command.addAll(OPTIONS);
    command.add("--user-data-dir=" + profile);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    try {
      // Beside its profile it makes a directory for a socket, and leaves it there when it is
      // killed.
      Path temporary = Files.createDirectories(profile.resolveSibling("tmp"));
      builder.environment().put("TMPDIR", temporary.toString());
      return new Chromium(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Loads a page, and returns when its scripts have run or were refused. */
  public void load(String url) {
    tab.command("Page.navigate", Map.of("url", url));
    tab.awaitEvent("Page.loadEventFired");
  }

  /** {@return whether a script of the page has set a variable} */
  public boolean hasRun(String variable) {
    return tab.command(
            "Runtime.evaluate",
            Map.of("expression", "window." + variable + " === true", "returnByValue", true))
        .at("/result/value")
        .booleanValue();
  }

  /** {@return what an expression in the page is, as a text; empty for undefined and null} */
  public String evaluate(String expression) {
    return await("Promise.resolve(" + expression + ")");
  }

  /** Clicks on a link or button that leads to another page, and waits for that page. */
  public void follow(String selector) {
    await(
        """
        new Promise((found, missing) => {
          const element = document.querySelector(%1$s);
          element ? found(element.click()) : missing(%1$s);
        })\
        """
            .formatted(text(selector)));
    awaitPage();
  }

  /** Waits for a page to which the last command leads. */
  public void awaitPage() {
    tab.awaitEvent("Page.loadEventFired");
  }

  /** Writes into a field. */
  public void write(String selector, String value) {
    evaluate("document.querySelector(" + text(selector) + ").value = " + text(value));
  }

  /** Presses and releases a key, by its name in the standard, such as ArrowDown. */
  public void press(String key) {
    tab.command("Input.dispatchKeyEvent", Map.of("type", "keyDown", "key", key));
    tab.command("Input.dispatchKeyEvent", Map.of("type", "keyUp", "key", key));
  }

  /** Drags the mouse over an element, between two parts of its width. */
  public void drag(String selector, double from, double to) {
    JsonNode box =
        new JsonMapper()
            .readTree(
                evaluate(
                    "JSON.stringify(document.querySelector("
                        + text(selector)
                        + ").getBoundingClientRect())"));
    double y = box.get("y").doubleValue() + box.get("height").doubleValue() / 2;
    double left = box.get("x").doubleValue();
    double width = box.get("width").doubleValue();
    mouse("mousePressed", left + from * width, y);
    mouse("mouseMoved", left + (from + to) / 2 * width, y);
    mouse("mouseMoved", left + to * width, y);
    mouse("mouseReleased", left + to * width, y);
  }

  private void mouse(String type, double x, double y) {
    tab.command(
        "Input.dispatchMouseEvent",
        Map.of("type", type, "x", x, "y", y, "button", "left", "buttons", 1, "clickCount", 1));
  }

  /** Chooses a file in a field for files. */
  public void choose(String selector, Path file) {
    JsonNode document = tab.command("DOM.getDocument", Map.of());
    JsonNode field =
        tab.command(
            "DOM.querySelector",
            Map.of("nodeId", document.at("/root/nodeId").intValue(), "selector", selector));
    tab.command(
        "DOM.setFileInputFiles",
        Map.of("nodeId", field.get("nodeId").intValue(), "files", List.of(file.toString())));
  }

  /** Sets the size of the window, and whether the person prefers dark pages. */
  public void view(int width, int height, boolean dark) {
    tab.command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    Map<String, String> scheme =
        Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
    tab.command("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
  }

  /** Writes a picture of the window as PNG. */
  public void picture(Path file) {
    String data = tab.command("Page.captureScreenshot", Map.of()).get("data").stringValue();
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.write(file, Base64.getDecoder().decode(data));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return a text as a literal of the page's language} */
  public static String text(String value) {
    return new JsonMapper().writeValueAsString(value);
  }

  /** {@return the text that a promise of the page becomes} */
  public String await(String promise) {
    JsonNode answer =
        tab.command(
            "Runtime.evaluate",
            Map.of("expression", promise, "awaitPromise", true, "returnByValue", true));
    if (answer.has("exceptionDetails")) {
      throw new IllegalStateException(promise + ": " + answer);
    }
    return answer.at("/result/value").asString();
  }

  /**
   * Reads the output of the process until it prints its address, and further, so that the process
   * never blocks.
   */
  private static String address(Process process) {
    CompletableFuture<String> address = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("chromium-output")
        .start(
            () -> {
              StringBuilder said = new StringBuilder();
              try (BufferedReader reader = process.inputReader()) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                  if (line.startsWith(LISTENING)) {
                    address.complete(line.substring(LISTENING.length()).split("/", 2)[0]);
                  }
                  said.append(line).append('\n');
                }
              } catch (IOException e) {
                said.append(e);
              }
              address.completeExceptionally(
                  new IllegalStateException("Chromium ended before it listened:\n" + said));
            });
    return address.orTimeout(START_SECONDS_MAX, TimeUnit.SECONDS).join();
  }

  private URI openTab(String address) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + address + "/json/new?about:blank"))
            .PUT(BodyPublishers.noBody())
            .build();
    String answer =
        client.sendAsync(request, BodyHandlers.ofString()).thenApply(r -> r.body()).join();
    return URI.create(new JsonMapper().readTree(answer).get("webSocketDebuggerUrl").stringValue());
  }

  /** Ends it with its children, so that no process writes to the profile. */
  private static void end(Process process) {
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.add(process.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(each -> each.onExit().join());
  }

  @Override
  public void close() {
    tab.close();
    client.shutdownNow();
    end(process);
  }
}
