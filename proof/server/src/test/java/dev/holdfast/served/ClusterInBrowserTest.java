package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.ObjectContext;
import dev.holdfast.browser.Chromium;
import dev.holdfast.browser.PageChecks;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.console.ConsoleOptions;
import dev.holdfast.console.ConsoleRole;
import dev.holdfast.console.ConsoleToken;
import dev.holdfast.console.HoldfastConsole;
import dev.holdfast.faults.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of a cluster in a real browser. The short form has one node, which cannot move a shard
 * to another.
 */
class ClusterInBrowserTest {

  private static final String TOKEN = "operator-operator-operator";
  private static final List<String> NODES =
      "long".equals(System.getProperty("holdfast.tests")) ? List.of("a", "b", "c") : List.of("a");
  private static final Path BROWSER = Path.of("..", "browser");

  /** Keeps a text. */
  public interface Memo {

    /** Keeps another text. */
    void write(String text);
  }

  private record MemoObject(ObjectContext context) implements Memo {

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }
  }

  @Test
  void aShardIsMovedByClicks(@TempDir Path directory) throws Exception {
    Optional<Path> installed = Chromium.find();
    assumeTrue(installed.isPresent(), "no Chromium: apt-get install chromium");
    Map<String, ClusterRuntime> open = open(directory);
    try (HoldfastConsole console =
            HoldfastConsole.start(
                open.get("a"),
                ConsoleOptions.DEFAULT
                    .withAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .withToken(ConsoleToken.of(ConsoleRole.OPERATOR, TOKEN)));
        Chromium browser = Chromium.start(installed.orElseThrow(), directory.resolve("profile"))) {
      open.get("a").namespace("memos", Memo.class).getByName("first").write("text");
      browser.load(console.address() + "cluster");
      browser.write("#token", TOKEN);
      browser.follow("form button");

      assertThat(browser.evaluate("document.querySelector('h1').innerText")).isEqualTo("Cluster");
      check(browser, false);
      check(browser, true);
      browser.view(1280, 800, false);
      browser.picture(Path.of("target", "pictures", "cluster.png"));
      String owner = NODES.getLast();
      browser.evaluate("document.querySelector('#to').value = " + Chromium.text(owner));
      browser.follow(".search button");
      browser.follow("main form button"); // the question

      assertThat(browser.evaluate("document.querySelector('main').innerText"))
          .contains("The shard was moved.");
      assertThat(open.get("a").shards().getFirst().owner()).isEqualTo(owner);
    } finally {
      open.values().forEach(ClusterRuntime::close);
    }
  }

  private static Map<String, ClusterRuntime> open(Path directory) throws Exception {
    List<Integer> ports = FreePorts.pairs(NODES.size());
    List<String> members = new ArrayList<>();
    for (String node : NODES) {
      members.add(node + "=127.0.0.1:" + ports.get(members.size()));
    }
    Map<String, ClusterRuntime> open = new LinkedHashMap<>();
    for (String node : NODES) {
      ClusterOptions options =
          ClusterOptions.of("browser")
              .node(node)
              .members(members.toArray(String[]::new))
              .withShards(2)
              .withFailover(Duration.ofSeconds(2));
      open.put(
          node,
          ClusterHoldfast.open(
              directory.resolve(node),
              options,
              objects -> objects.namespace("memos", Memo.class, MemoObject::new)));
    }
    for (ClusterRuntime node : open.values()) {
      assertThat(node.awaitReady(Duration.ofMinutes(2))).isTrue();
    }
    return open;
  }

  private static void check(Chromium browser, boolean dark) throws IOException {
    assumeTrue(PageChecks.haveAxe(BROWSER), "no axe: npm ci in proof/browser/axe");
    for (int width : new int[] {320, 1280}) {
      browser.view(width, 800, dark);
      assertThat(PageChecks.tooWide(browser)).isEmpty();
    }
    PageChecks.loadAxe(browser, BROWSER);
    assertThat(PageChecks.barriers(browser)).isEmpty();
  }
}
