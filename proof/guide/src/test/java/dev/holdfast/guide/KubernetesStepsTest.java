package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.faults.Polling;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The application and the commands of the page about Kubernetes, with a process and an address of
 * this machine for each pod.
 */
class KubernetesStepsTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "operations", "kubernetes.md");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^    (?:kubectl exec (\\S+) -- |\\./)holdfast (cluster .*)$");
  private static final int WORKS = 204;

  /** What the page leaves to the reader. */
  private static final String OBJECTS =
      """
      interface Order {
        long add();
      }

      record OrderObject(dev.holdfast.ObjectContext context) implements Order {
        @Override
        public long add() {
          long next = context.storage().get("count", Long.class).orElse(0L) + 1;
          context.storage().put("count", next);
          return next;
        }
      }
      """;

  private static final String ADD =
      """
      health.createContext(
          "/add",
          exchange -> {
            long count = runtime.namespace("orders", Order.class).getByName("one").add();
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(String.valueOf(count).getBytes());
            exchange.close();
          });
      """;

  @TempDir private Path directory;

  private final Map<Integer, Process> pods = new TreeMap<>();
  private final Map<Integer, String> addresses = new TreeMap<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private String page = "";

  @AfterEach
  void end() {
    pods.values().forEach(Process::destroyForcibly);
    pods.values().forEach(each -> each.onExit().join());
    client.close();
  }

  @Test
  @EnabledIfSystemProperty(named = "holdfast.tests", matches = "long")
  void stepsOfThePageWork() throws Exception {
    page = Files.readString(PAGE);
    assertThat(Examples.errors(application(), Files.createDirectories(directory.resolve("app"))))
        .isEmpty();
    for (int pod = 0; pod < 4; pod++) {
      moveTo(11, pod);
    }

    assertThat(run("cluster certificates")).isZero();
    for (int pod = 0; pod < 3; pod++) {
      start(pod);
    }
    awaitAllReady();
    assertThat(added(0)).isOne();

    for (int pod = 2; pod >= 0; pod--) { // as an update of the StatefulSet
      stop(pod);
      moveTo(12, pod); // a new pod has another address
      start(pod);
      awaitAllReady();
    }
    assertThat(added(1)).isEqualTo(2);

    start(3);
    while (!answers(3, "alive")) {
      Polling.pause();
    }
    assertThat(run("cluster add")).isZero();
    awaitAllReady();
    assertThat(added(3)).isEqualTo(3);
    assertThat(run("cluster remove")).isZero();
    stop(3);
    pods.remove(3);
    awaitAllReady();

    Process lost = pods.get(1);
    lost.destroyForcibly().onExit().join();
    FileTree.delete(new FileDisk(), data(1));
    CompletableFuture<Integer> replaced = null;
    start(1);
    while (!isReady(1)) {
      if (replaced == null && !pods.get(1).isAlive()) {
        assertThat(log(1)).contains("another data directory");
        replaced = CompletableFuture.supplyAsync(() -> run("cluster replace"));
      }
      if (!pods.get(1).isAlive()) {
        start(1); // as the kubelet does
      }
      Polling.pause();
    }
    assertThat(replaced).isNotNull();
    assertThat(replaced.get()).isZero();
    awaitAllReady();
    assertThat(added(1)).isEqualTo(4);
  }

  /** {@return the program of the page, at the places of this test} */
  private String application() {
    Matcher block = BLOCK.matcher(page);
    assertThat(block.find()).isTrue();
    String code = block.group(1);
    int end = code.lastIndexOf("import ");
    int statements = code.indexOf('\n', end) + 1;
    return code.substring(0, statements)
        + "final class Shop {\n"
        + "  public static void main(String[] arguments) throws Exception {\n"
        + code.substring(statements)
            .replace("\"/var/lib/shop/data\"", "System.getenv(\"DATA\")")
            .replace("\"/etc/shop/certificates\"", "System.getenv(\"CERTIFICATES\")")
            .replace("InetSocketAddress(8080)", "InetSocketAddress(node + \".shop\", 8080)")
            .replace("health.start();", ADD + "health.start();")
        + "  }\n}\n"
        + OBJECTS;
  }

  /** Gives a pod an address, and its name to it. */
  private void moveTo(int net, int pod) throws IOException {
    addresses.put(pod, "127.64." + net + "." + (pod + 1));
    StringBuilder hosts = new StringBuilder();
    addresses.forEach((each, at) -> hosts.append("%s shop-%d.shop\n".formatted(at, each)));
    Files.writeString(directory.resolve("hosts"), hosts);
  }

  private Path data(int pod) {
    return directory.resolve("data-" + pod);
  }

  private void start(int pod) throws IOException {
    String members = "shop-0=shop-0.shop:7400 shop-1=shop-1.shop:7400 shop-2=shop-2.shop:7400";
    assertThat(Files.readString(PAGE.resolveSibling("kubernetes").resolve("statefulset.yaml")))
        .contains("value: " + members);
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-Djdk.net.hosts.file=" + directory.resolve("hosts"),
                "-cp",
                directory.resolve("app") + ":" + Examples.classPath(),
                "Shop")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile(pod).toFile()));
    builder.environment().put("NODE", "shop-" + pod);
    builder.environment().put("MEMBERS", members);
    builder.environment().put("DATA", data(pod).toString());
    builder.environment().put("CERTIFICATES", directory.resolve("certificates").toString());
    pods.put(pod, builder.start());
  }

  private String log(int pod) {
    try {
      return Files.readString(logFile(pod));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path logFile(int pod) {
    return directory.resolve("pod-" + pod + ".log");
  }

  private void stop(int pod) {
    Process process = pods.get(pod);
    process.destroy();
    process.onExit().join();
  }

  /** Runs the command of the page that begins with some words. */
  private int run(String beginning) {
    Matcher command = COMMAND.matcher(page);
    while (command.find()) {
      if (command.group(2).startsWith(beginning)) {
        return run(command.group(1), command.group(2));
      }
    }
    throw new AssertionError("The page has no command " + beginning);
  }

  private int run(String pod, String command) {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.removeFirst();
    String data = pod == null ? "" : data(pod.charAt(pod.length() - 1) - '0').toString();
    words.replaceAll(each -> each.replace("/var/lib/shop/data", data));
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                Examples.classPath(),
                "dev.holdfast.nodes.ClusterCommand"));
    line.addAll(words);
    try {
      return new ProcessBuilder(line).directory(directory.toFile()).inheritIO().start().waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void awaitAllReady() {
    while (!pods.keySet().stream().allMatch(this::isReady)) {
      pods.forEach((pod, process) -> assertThat(process.isAlive()).as(log(pod)).isTrue());
      Polling.pause();
    }
  }

  private boolean isReady(int pod) {
    return answers(pod, "ready");
  }

  private boolean answers(int pod, String path) {
    try {
      return client.send(request(pod, path), BodyHandlers.discarding()).statusCode() == WORKS;
    } catch (IOException e) {
      return false; // it does not listen yet
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private long added(int pod) throws Exception {
    return Long.parseLong(client.send(request(pod, "add"), BodyHandlers.ofString()).body());
  }

  private HttpRequest request(int pod, String path) {
    return HttpRequest.newBuilder(URI.create("http://" + addresses.get(pod) + ":8080/" + path))
        .build();
  }
}
