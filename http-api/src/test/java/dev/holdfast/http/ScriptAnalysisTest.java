package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.analysis.ReputationFeed;
import dev.holdfast.http.analysis.ScriptScores;
import dev.holdfast.http.object.Plan;
import dev.holdfast.http.url.WebUrl;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** With a reputation feed, and with fetching switched on: an internet of a map. */
class ScriptAnalysisTest {

  private static final String PAGE = "http://shop.example.com/";
  private static final String SCRIPT = "https://cdn.example.net/lib.js";

  private final Map<String, String> internet = new ConcurrentHashMap<>();
  private final BlockingQueue<String> fetched = new LinkedBlockingQueue<>();

  /** What each fetch waits for. */
  private volatile CountDownLatch holdingUp = new CountDownLatch(0);

  private ApiFixture api;

  /** An API for each test: a fetch of the test before may still take one of four places. */
  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("feed");
    Files.writeString(
        file, "evil.example.net\tMalware\nhttps://cdn.example.net/bad.js\tCrypto mining\n");
    ReputationFeed feed = ReputationFeed.ofFile(file);
    api =
        new ApiFixture(
            directory.resolve("data"),
            Plan.ENTERPRISE,
            options -> options.withFeed(feed).withFetcher(this::fetch, ScriptAnalysisTest::score));
    api.put("/page_monitor", "{\"enabled\":true}").isOk();
  }

  @AfterEach
  void stop() {
    holdingUp.countDown();
    api.close();
  }

  private byte[] fetch(WebUrl url) throws IOException, InterruptedException {
    fetched.add(url.toString());
    holdingUp.await();
    String content = internet.get(url.toString());
    if (content == null) {
      throw new IOException(url + " answered 404");
    }
    return content.getBytes(StandardCharsets.UTF_8);
  }

  private static ScriptScores score(byte[] content) {
    int score = content.length;
    return new ScriptScores(score, 50, 50, 50, 50, 50);
  }

  private void report(String script) {
    for (int i = 0; i < 3; i++) {
      api.reportScript(PAGE, script);
    }
  }

  /** The script once it has a number of versions: it is scored after the report is answered. */
  private JsonNode scriptWithVersions(int versions) throws InterruptedException {
    assertThat(fetched.poll(5, TimeUnit.MINUTES)).isEqualTo(SCRIPT);
    String id = api.get("/page_monitor/scripts").result().get(0).get("id").stringValue();
    while (true) {
      JsonNode script = api.get("/page_monitor/scripts/" + id).isOk().result();
      if (script.get("versions").size() == versions) {
        return script;
      }
      Thread.onSpinWait();
    }
  }

  @Test
  void aNewScriptIsFetchedAndJudgedOnce() throws Exception {
    internet.put(SCRIPT, "nine char");
    report(SCRIPT);

    JsonNode script = scriptWithVersions(1);

    assertThat(script.get("js_integrity_score").intValue()).isEqualTo(9);
    assertThat(script.get("hash").stringValue()).matches("[0-9a-f]{64}");
    assertThat(script.get("magecart_score").intValue()).isEqualTo(50);
    assertThat(script.get("versions").get(0).get("hash")).isEqualTo(script.get("hash"));
    assertThat(fetched).isEmpty();
  }

  @Test
  void aChangedScriptHasANewVersionADayLater() throws Exception {
    internet.put(SCRIPT, "the first content");
    report(SCRIPT);
    JsonNode first = scriptWithVersions(1);
    internet.put(SCRIPT, "another");
    api.clock.advance(Duration.ofDays(1).plusSeconds(1));
    report(SCRIPT);

    JsonNode second = scriptWithVersions(2);

    assertThat(second.get("js_integrity_score").intValue()).isEqualTo("another".length());
    assertThat(second.get("versions").get(1)).isEqualTo(first.get("versions").get(0));
    assertThat(fetched).isEmpty();
  }

  @Test
  void aScriptThatCannotBeFetchedHasNoScores() throws Exception {
    report(SCRIPT);

    assertThat(fetched.poll(5, TimeUnit.MINUTES)).isEqualTo(SCRIPT);
    JsonNode script = api.get("/page_monitor/scripts").isOk().result().get(0);
    assertThat(script.has("js_integrity_score")).isFalse();
    assertThat(script.has("hash")).isFalse();
  }

  /**
   * Four are fetched at once; to have been left out once must not mean to be left out for hours.
   */
  @Test
  void aScriptThatWasNotFetchedForWantOfRoomIsFetchedAfterALaterReport() throws Exception {
    holdingUp = new CountDownLatch(1);
    for (int i = 0; i < 4; i++) {
      report("https://slow.example.net/" + i);
      assertThat(fetched.poll(5, TimeUnit.MINUTES)).isEqualTo("https://slow.example.net/" + i);
    }
    report(SCRIPT);
    assertThat(fetched).isEmpty();

    holdingUp.countDown();

    while (fetched.isEmpty()) {
      report(SCRIPT);
    }
    assertThat(fetched).containsExactly(SCRIPT);
  }

  @Test
  void whatTheFeedKnowsIsShownAndComesFirst() {
    report("https://evil.example.net/x.js");
    report("https://cdn.example.net/bad.js");
    report("https://cdn.example.net/good.js");

    JsonNode scripts =
        api.get("/page_monitor/scripts?prioritize_malicious=true&order_by=first_seen_at")
            .isOk()
            .result();

    assertThat(scripts).hasSize(3);
    JsonNode last = scripts.get(2);
    assertThat(last.get("url").stringValue()).endsWith("good.js");
    assertThat(last.get("domain_reported_malicious").booleanValue()).isFalse();
    assertThat(last.has("malicious_url_categories")).isFalse();
    JsonNode evil = api.get("/page_monitor/scripts?urls=evil").isOk().result().get(0);
    assertThat(evil.get("domain_reported_malicious").booleanValue()).isTrue();
    assertThat(evil.get("url_reported_malicious").booleanValue()).isFalse();
    JsonNode bad = api.get("/page_monitor/scripts?urls=bad").isOk().result().get(0);
    assertThat(bad.get("url_reported_malicious").booleanValue()).isTrue();
    assertThat(bad.get("malicious_url_categories").get(0).stringValue()).isEqualTo("Crypto mining");
  }
}
