package dev.holdfast.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.firewall.BasicRuleset;
import dev.holdfast.http.firewall.Decision;
import dev.holdfast.http.firewall.FirewallAction;
import dev.holdfast.http.firewall.ManagedRule;
import dev.holdfast.http.firewall.ManagedRuleset;
import dev.holdfast.http.firewall.MatchedRule;
import dev.holdfast.http.firewall.SiteRequest;
import dev.holdfast.http.object.Plan;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Managed rulesets, executed as the entry point of a zone says. */
@TestInstance(Lifecycle.PER_CLASS)
class BasicRulesetTest {

  private static final String MANAGED = "/rulesets/phases/http_request_firewall_managed/entrypoint";
  private static final String OWN = "a".repeat(32);
  private static final Pattern LINE =
      Pattern.compile("(\\S+) (\\S+)((?: \\{[A-Z][A-Za-z-]*: .*?\\}(?= >> |$))?)(?: >> (.*))?");

  @TempDir private static Path directory;

  private ApiFixture api;

  /** Three rules: one that scores, one that acts by itself, one that judges. */
  private static final class OwnRuleset implements ManagedRuleset {
    @Override
    public List<ManagedRule> rules() {
      return List.of(
          new ManagedRule(
              "1".repeat(32), "", Set.of("paranoia-level-2"), FirewallAction.SCORE, 30, 0, true),
          new ManagedRule("2".repeat(32), "", Set.of("bots"), FirewallAction.LOG, 0, 0, true),
          new ManagedRule("3".repeat(32), "", Set.of(), FirewallAction.BLOCK, 0, 25, true));
    }

    @Override
    public Set<String> matching(SiteRequest request) {
      if (request.url().endsWith("/defect")) {
        throw new IllegalStateException("a defect of a third party");
      }
      return request.url().endsWith("/bad") ? Set.of("1".repeat(32), "2".repeat(32)) : Set.of();
    }
  }

  @BeforeAll
  void open() {
    api =
        new ApiFixture(
            directory,
            Plan.ENTERPRISE,
            options -> options.withManagedRuleset(OWN, new OwnRuleset()));
  }

  @AfterAll
  void close() {
    api.close();
  }

  @BeforeEach
  void newZone() {
    api.newZone(Plan.ENTERPRISE);
    // Without the previous managed rules, which a zone has until it has migrated.
    api.put(MANAGED + "?waf_migration=pending&phase_two=1", "{\"rules\":[]}").isOk();
  }

  private void execute(String parameters) {
    api.put(
            MANAGED,
            "{\"rules\":[{\"action\":\"execute\",\"expression\":\"true\",\"action_parameters\":"
                + parameters
                + "}]}")
        .isOk();
  }

  private Decision decide(SiteRequest request) {
    return api.api.firewall().decide(api.zone.id(), request);
  }

  private Decision decide(String path) {
    return decide(SiteRequest.of("GET", "https://example.com" + path, Map.of(), "192.0.2.1"));
  }

  private static List<String> lines(String file) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(BasicRulesetTest.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  private static SiteRequest request(String line) {
    Matcher parts = LINE.matcher(line);
    assertThat(parts.matches()).as(line).isTrue();
    Map<String, List<String>> headers = new HashMap<>();
    if (!parts.group(3).isEmpty()) {
      String header = parts.group(3).strip();
      String[] halves = header.substring(1, header.length() - 1).split(": ", 2);
      headers.put(halves[0], List.of(halves[1]));
    }
    String body = parts.group(4) == null ? "" : parts.group(4);
    return SiteRequest.of(
            parts.group(1), "https://example.com" + parts.group(2), headers, "192.0.2.1")
        .withBody(ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)), false);
  }

  /** The requests of a file that are stopped, as the migration deploys a sensitivity. */
  private List<String> stopped(String file, int paranoiaLevel, int threshold) throws IOException {
    String off = paranoiaLevel > 1 ? "" : "{\"category\":\"paranoia-level-2\",\"enabled\":false}";
    execute(
        "{\"id\":\"%s\",\"overrides\":{\"categories\":[%s],\"rules\":[{\"id\":\"%s\",\"score_threshold\":%d}]}}"
            .formatted(BasicRuleset.ID, off, BasicRuleset.SCORE_RULE_ID, threshold));
    List<String> stopped = new ArrayList<>();
    for (String line : lines(file)) {
      SiteRequest request = request(line);
      if (request.refusal().isPresent() || decide(request).action() == FirewallAction.BLOCK) {
        stopped.add(line);
      }
    }
    return stopped;
  }

  @Test
  void attacksAreBlockedAndHarmlessRequestsPass() throws IOException {
    List<String> passed = new ArrayList<>(lines("attacks.txt"));
    passed.removeAll(stopped("attacks.txt", 2, 40));
    List<String> harmless = lines("harmless.txt");

    assertThat(passed).isEmpty();
    assertThat(stopped("harmless.txt", 2, 40)).hasSizeLessThanOrEqualTo(2);
    assertThat(lines("attacks.txt")).hasSizeGreaterThanOrEqualTo(60);
    assertThat(harmless).hasSize(300).doesNotHaveDuplicates();
  }

  /** High and Default are the same in the table of the migration: level 2, threshold 40. */
  @Test
  void sensitivitiesOfTheMigrationStopDifferentRequests() throws IOException {
    List<String> low = stopped("attacks.txt", 1, 40);
    List<String> medium = stopped("attacks.txt", 1, 25);
    List<String> high = stopped("attacks.txt", 2, 40);

    // The numbers of the manual.
    assertThat(List.of(low.size(), medium.size(), high.size())).containsExactly(66, 74, 74);
    assertThat(low).isSubsetOf(medium).isSubsetOf(high);
    assertThat(
            List.of(
                stopped("harmless.txt", 1, 40).size(),
                stopped("harmless.txt", 1, 25).size(),
                stopped("harmless.txt", 2, 40).size(),
                stopped("attacks.txt", 2, 60).size()))
        .containsExactly(0, 0, 0, 19);
    assertThat(
            List.of(
                stopped("other-attacks.txt", 1, 40).size(),
                stopped("other-attacks.txt", 1, 25).size(),
                stopped("other-attacks.txt", 2, 40).size()))
        .containsExactly(9, 32, 26);
    assertThat(
            List.of(
                stopped("other-harmless.txt", 1, 40).size(),
                stopped("other-harmless.txt", 1, 25).size(),
                stopped("other-harmless.txt", 2, 40).size()))
        .containsExactly(1, 2, 2);
  }

  /** The client chooses how long they are, and each character takes time. */
  @Test
  void longRequestsAreReadUpToABound() {
    execute("{\"id\":\"%s\"}".formatted(BasicRuleset.ID));
    String attack = "<script>alert(1)</script>";
    String types = "application/json|application/x-www-form-urlencoded";
    for (String type : types.split("\\|", -1)) {
      for (String filling : List.of("a", "a&", "&a=%25")) {
        String early = filling.repeat(200) + "&" + attack;
        String late = filling.repeat(33_000) + "&" + attack;
        assertThat(decide(post(type, early)).action()).as(filling).isEqualTo(FirewallAction.BLOCK);
        assertThat(decide(post(type, late)).action()).as(filling).isEqualTo(FirewallAction.NONE);
      }
    }
  }

  @Test
  void longBodyDoesNotHideTheRestOfARequest() {
    execute("{\"id\":\"%s\"}".formatted(BasicRuleset.ID));
    String body = "x".repeat(100_000);
    SiteRequest scanner =
        SiteRequest.of(
            "POST",
            "https://example.com/?" + "x".repeat(33_000),
            Map.of("user-agent", List.of("sqlmap/1.8"), "content-type", List.of("text/plain")),
            "192.0.2.1");
    assertThat(decide(scanner.withBody(ByteBuffer.wrap(body.getBytes(UTF_8)), false)).action())
        .isEqualTo(FirewallAction.BLOCK);
  }

  private static SiteRequest post(String type, String body) {
    return SiteRequest.of(
            "POST", "https://example.com/", Map.of("content-type", List.of(type)), "192.0.2.1")
        .withBody(ByteBuffer.wrap(body.getBytes(UTF_8)), false);
  }

  @Test
  void rulesActAloneOrAddToTheScoreThatIsJudged() {
    execute("{\"id\":\"" + OWN + "\"}");

    Decision decision = decide("/bad");

    assertThat(decision.action()).isEqualTo(FirewallAction.BLOCK);
    assertThat(decision.matched().stream().map(MatchedRule::action))
        .containsExactly(FirewallAction.SCORE, FirewallAction.LOG, FirewallAction.BLOCK);
    assertThat(decision.matched().getLast().score()).isEqualTo(30);
    assertThat(decide("/good").matched()).isEmpty();
  }

  @Test
  void overridesOfSingleRulesPrecedeThoseOfCategoriesAndOfTheRuleset() {
    execute("{\"id\":\"%s\",\"overrides\":{\"action\":\"log\"}}".formatted(OWN));
    assertThat(decide("/bad").action()).isEqualTo(FirewallAction.NONE);
    assertThat(decide("/bad").matched()).hasSize(3);

    execute(
        "{\"id\":\"%s\",\"overrides\":{\"categories\":[{\"category\":\"paranoia-level-2\",\"enabled\":false}]}}"
            .formatted(OWN));
    assertThat(decide("/bad").action()).isEqualTo(FirewallAction.NONE);
    assertThat(decide("/bad").matched()).hasSize(1);

    execute(
        "{\"id\":\"%s\",\"overrides\":{\"enabled\":false,\"rules\":[{\"id\":\"%s\",\"enabled\":true,\"action\":\"challenge\"}]}}"
            .formatted(OWN, "2".repeat(32)));
    assertThat(decide("/bad").action()).isEqualTo(FirewallAction.CHALLENGE);
    assertThat(decide("/bad").matched()).hasSize(1);
  }

  @Test
  void thresholdIsOverridden() {
    String judge =
        "{\"id\":\"%s\",\"overrides\":{\"rules\":[{\"id\":\"%s\",\"score_threshold\":%d}]}}";
    execute(judge.formatted(OWN, "3".repeat(32), 31));
    assertThat(decide("/bad").action()).isEqualTo(FirewallAction.NONE);

    execute(judge.formatted(OWN, "3".repeat(32), 30));
    assertThat(decide("/bad").action()).isEqualTo(FirewallAction.BLOCK);
  }

  @Test
  void singleRulesAreSkipped() {
    String skip =
        "{\"action\":\"skip\",\"expression\":\"true\",\"action_parameters\":{\"rules\":{\"%s\":[\"%s\"]}}}"
            .formatted(OWN, "1".repeat(32));
    api.put(
            MANAGED,
            "{\"rules\":[%s,{\"action\":\"execute\",\"expression\":\"true\",\"action_parameters\":{\"id\":\"%s\"}}]}"
                .formatted(skip, OWN))
        .isOk();

    assertThat(decide("/bad").action()).isEqualTo(FirewallAction.NONE);
  }

  @Test
  void rulesetThatFailsMatchesNothingAndIsCounted() {
    execute("{\"id\":\"" + OWN + "\"}");
    long before = api.api.firewall().failures();

    assertThat(decide("/defect").matched()).isEmpty();
    assertThat(api.api.firewall().failures()).isEqualTo(before + 1);
  }

  @Test
  void previousManagedRulesActUntilTheMigrationHasFinished() {
    api.newZone(Plan.ENTERPRISE);
    Decision before = decide("/items?id=1+union+select+1,2,3");
    assertThat(before.action()).isEqualTo(FirewallAction.CHALLENGE);
    assertThat(before.matched().getLast().phase()).isEqualTo(Decision.PREVIOUS_MANAGED_RULES);

    api.put(
            MANAGED + "?waf_migration=validation&phase_two=1",
            "{\"rules\":[{\"action\":\"execute\",\"expression\":\"true\",\"action_parameters\":{\"id\":\"%s\",\"overrides\":{\"action\":\"log\"}}}]}"
                .formatted(BasicRuleset.ID))
        .isOk();
    Decision both = decide("/items?id=1+union+select+1,2,3");
    assertThat(both.action()).isEqualTo(FirewallAction.CHALLENGE);
    assertThat(both.matched().getFirst().phase()).isEqualTo("http_request_firewall_managed");

    api.put(MANAGED + "?waf_migration=pending&phase_two=1", "{\"rules\":[]}").isOk();
    assertThat(decide("/items?id=1+union+select+1,2,3").action()).isEqualTo(FirewallAction.NONE);
  }
}
