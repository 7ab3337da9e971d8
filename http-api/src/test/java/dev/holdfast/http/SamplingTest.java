package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.object.Plan;
import java.nio.file.Path;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Which pages are monitored. */
class SamplingTest {

  private static final String POLICY =
      """
      {"description":"all","action":"log","expression":"true","enabled":true,
       "value":"script-src 'self'"}
      """;

  /** Throws the dice that the test wants; whatever else is random is made up. */
  private static final class Dice implements RandomGenerator {
    private final Random others = new Random(20261122);
    private volatile double next;

    @Override
    public synchronized long nextLong() {
      return others.nextLong();
    }

    @Override
    public double nextDouble() {
      return next;
    }
  }

  @Test
  void aShareOfThePagesIsMonitoredAndPoliciesHoldForAll(@TempDir Path directory) {
    Dice dice = new Dice();
    try (ApiFixture api =
        new ApiFixture(
            directory, Plan.ENTERPRISE, options -> options.withRandom(dice).withSampleRate(0.25))) {
      api.put("/page_monitor", "{\"enabled\":true}").isOk();
      api.post("/page_monitor/policies", POLICY).isOk();

      assertThat(reportOnlyHeaders(api, dice, 0)).isEqualTo(2);
      assertThat(reportOnlyHeaders(api, dice, 0.2499)).isEqualTo(2);
      assertThat(reportOnlyHeaders(api, dice, 0.25)).isEqualTo(1);
      assertThat(reportOnlyHeaders(api, dice, 0.9999)).isEqualTo(1);
    }
  }

  private static int reportOnlyHeaders(ApiFixture api, Dice dice, double thrown) {
    dice.next = thrown;
    String page =
        "{\"url\":\"http://example.com/\",\"response_headers\":{\"content-type\":\"text/html\"}}";
    int count = 0;
    for (JsonNode header : api.post("/page_monitor/headers", page).isOk().result().get("headers")) {
      if (header.get("name").stringValue().equals("Content-Security-Policy-Report-Only")) {
        count++;
      }
    }
    return count;
  }
}
