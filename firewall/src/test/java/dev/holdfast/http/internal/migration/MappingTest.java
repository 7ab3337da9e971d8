package dev.holdfast.http.internal.migration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.http.expression.FilterExpression;
import dev.holdfast.http.expression.FilterRequest;
import dev.holdfast.http.internal.firewall.Rules;
import dev.holdfast.http.internal.migration.LegacyConfiguration.Effect;
import dev.holdfast.http.internal.migration.LegacyConfiguration.PageRule;
import dev.holdfast.http.url.WebUrl;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class MappingTest {

  private static final LegacyConfiguration PLAIN =
      new LegacyConfiguration(
          true, true, Map.of(), Sensitivity.DEFAULT, "challenge", List.of(), List.of(), false);

  private static LegacyConfiguration core(Sensitivity sensitivity, String mode) {
    return new LegacyConfiguration(
        true, false, Map.of(), sensitivity, mode, List.of(), List.of(), false);
  }

  private static JsonNode rules(LegacyConfiguration old) {
    return Mapping.entryPoint(old).get("rules");
  }

  @ParameterizedTest
  @CsvSource({
    "HIGH, 40, 3 4",
    "MEDIUM, 25, 2 3 4",
    "LOW, 40, 2 3 4",
    "DEFAULT, 40, 3 4",
  })
  void sensitivityBecomesParanoiaLevelAndThreshold(
      Sensitivity sensitivity, int threshold, String levelsOff) {
    JsonNode overrides =
        rules(core(sensitivity, "block")).get(0).get("action_parameters").get("overrides");

    assertThat(overrides.get("rules").get(0).get("score_threshold").intValue())
        .isEqualTo(threshold);
    assertThat(overrides.get("categories").valueStream().map(c -> c.get("category").stringValue()))
        .containsExactlyElementsOf(
            List.of(levelsOff.split(" ", -1)).stream()
                .map(level -> "paranoia-level-" + level)
                .toList());
  }

  @ParameterizedTest
  @CsvSource({"simulate, log", "block, block", "challenge, challenge"})
  void simulateBecomesLogAndOtherActionsStay(String old, String action) {
    JsonNode score =
        rules(core(Sensitivity.HIGH, old))
            .get(0)
            .get("action_parameters")
            .get("overrides")
            .get("rules")
            .get(0);

    assertThat(score.get("action").stringValue()).isEqualTo(action);
  }

  @Test
  void eachRulesetIsDeployedByARuleOfItsOwn() {
    JsonNode rules = rules(PLAIN);

    assertThat(rules).hasSize(2);
    assertThat(rules.get(0).get("action_parameters").get("id").stringValue())
        .isEqualTo(Mapping.MANAGED_RULESET);
    assertThat(rules.get(1).get("action_parameters").get("id").stringValue())
        .isEqualTo(Mapping.CORE_RULESET);
    assertThat(rules.get(0).get("id").stringValue()).isEmpty();
    assertThat(rules.get(0).get("version").stringValue()).isEmpty();
  }

  @Test
  void modesOfManagedRulesBecomeOverrides() {
    JsonNode overrides =
        rules(
                new LegacyConfiguration(
                    true,
                    true,
                    Map.of("b".repeat(32), "disable", "a".repeat(32), "simulate"),
                    Sensitivity.OFF,
                    "block",
                    List.of(),
                    List.of(),
                    false))
            .get(0)
            .get("action_parameters")
            .get("overrides")
            .get("rules");

    assertThat(overrides.get(0).get("action").stringValue()).isEqualTo("log");
    assertThat(overrides.get(1).get("enabled").booleanValue()).isFalse();
    assertThat(overrides.get(1).has("action")).isFalse();
  }

  @Test
  void whatSwitchedTheOldRulesOffBecomesAnExceptionBeforeThem() {
    JsonNode rules =
        rules(
            new LegacyConfiguration(
                true,
                true,
                Map.of(),
                Sensitivity.OFF,
                "block",
                List.of(new Rules.Summary("ssl", true), new Rules.Summary("not ssl", false)),
                List.of(
                    new PageRule("example.com/a*", Effect.WAF_OFF),
                    new PageRule("example.com/b*", Effect.DISABLE_SECURITY)),
                false));

    assertThat(rules.valueStream().map(rule -> rule.get("action").stringValue()))
        .containsExactly("skip", "skip", "skip", "execute");
    assertThat(rules.get(0).get("expression").stringValue()).isEqualTo("ssl");
    assertThat(rules.get(1).get("expression").stringValue())
        .isEqualTo(
            "(http.request.full_uri wildcard \"http://example.com/a*\""
                + " or http.request.full_uri wildcard \"https://example.com/a*\")");
  }

  @Test
  void whereAPageRuleSwitchedTheOldRulesOnTheNewOnesRun() {
    JsonNode rules =
        rules(
            new LegacyConfiguration(
                false,
                true,
                Map.of(),
                Sensitivity.OFF,
                "block",
                List.of(),
                List.of(new PageRule("https://example.com/shop", Effect.WAF_ON)),
                false));

    assertThat(rules).hasSize(1);
    assertThat(rules.get(0).get("expression").stringValue())
        .isEqualTo("(http.request.full_uri wildcard \"https://example.com/shop\")");
  }

  private static boolean matches(JsonNode rule, String url) throws Exception {
    return FilterExpression.parse(rule.get("expression").stringValue())
        .matches(FilterRequest.ofHttp("GET", WebUrl.of(url), Map.of(), Instant.EPOCH));
  }

  private static LegacyConfiguration pages(boolean enabled, PageRule... pages) {
    return new LegacyConfiguration(
        enabled, true, Map.of(), Sensitivity.OFF, "block", List.of(), List.of(pages), false);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "example.com/up/*",
        "http*://example.com/up/*",
        "*://example.com/up/*",
        "**example.com/up/*"
      })
  void noQueryMakesAnExceptionMatchElsewhere(String url) throws Exception {
    JsonNode skip = rules(pages(true, new PageRule(url, Effect.WAF_OFF))).get(0);

    assertThat(matches(skip, "http://example.com/up/x")).isTrue();
    assertThat(matches(skip, "https://example.com/up/x")).isTrue();
    if (!url.startsWith("**")) {
      assertThat(matches(skip, "https://any.example.net/attack?q=://example.com/up/")).isFalse();
    }
  }

  @Test
  void aUrlWithASchemeIsForThatSchemeOnly() throws Exception {
    JsonNode skip =
        rules(pages(true, new PageRule("https://example.com/*", Effect.WAF_OFF))).get(0);

    assertThat(matches(skip, "https://example.com/a")).isTrue();
    assertThat(matches(skip, "http://example.com/a")).isFalse();
  }

  @Test
  void theFirstOfThePageRulesThatMatchCounts() throws Exception {
    JsonNode rules =
        rules(
            pages(
                true,
                new PageRule("example.com/pay/health", Effect.WAF_OFF),
                new PageRule("example.com/pay/*", Effect.WAF_ON),
                new PageRule("example.com/*", Effect.WAF_OFF)));

    assertThat(matches(rules.get(0), "https://example.com/pay/health")).isTrue();
    assertThat(matches(rules.get(1), "https://example.com/pay/card")).isFalse();
    assertThat(matches(rules.get(1), "https://example.com/other")).isTrue();
  }

  @Test
  void manyPageRulesThatSwitchOnBecomeSeveralRulesOfLegalLength() throws Exception {
    PageRule[] pages =
        IntStream.range(0, 200)
            .mapToObj(i -> new PageRule("example.com/" + "x".repeat(30) + i, Effect.WAF_ON))
            .toArray(PageRule[]::new);

    JsonNode rules = rules(pages(false, pages));

    assertThat(rules.size()).isGreaterThan(1);
    for (int i = 0; i < pages.length; i++) {
      String url = "https://" + pages[i].url();
      int found = 0;
      for (JsonNode rule : rules) {
        found += matches(rule, url) ? 1 : 0;
      }
      assertThat(found).as(url).isEqualTo(1);
    }
  }

  @Property(tries = 300)
  void theMappingIsTotalAndItsExpressionsAreValid(@ForAll("configurations") LegacyConfiguration old)
      throws Exception {
    JsonNode rules = rules(old);

    for (JsonNode rule : rules) {
      FilterExpression.parse(rule.get("expression").stringValue());
    }
    long executes =
        rules
            .valueStream()
            .filter(rule -> rule.get("action").stringValue().equals("execute"))
            .count();
    assertThat(executes).isLessThanOrEqualTo(2);
    // What skips comes before all that it is to skip.
    assertThat(
            rules
                .valueStream()
                .skip(rules.size() - executes)
                .map(rule -> rule.get("action").stringValue()))
        .allMatch("execute"::equals);
    boolean anywhere =
        old.wafEnabled()
            || old.pageRules().stream().anyMatch(rule -> rule.effect() == Effect.WAF_ON);
    boolean anything = old.managedEnabled() || old.sensitivity() != Sensitivity.OFF;
    assertThat(executes > 0).isEqualTo(anywhere && anything);
    assertThat(rules.toString()).doesNotContain("simulate");
  }

  @Provide
  Arbitrary<LegacyConfiguration> configurations() {
    Arbitrary<String> urls =
        Arbitraries.strings().withChars("ab*/\\\".:?=").ofMinLength(1).ofMaxLength(20);
    return Combinators.combine(
            Arbitraries.of(true, false),
            Arbitraries.of(true, false),
            Arbitraries.maps(
                    Arbitraries.of("a".repeat(32), "b".repeat(32)),
                    Arbitraries.of("simulate", "block", "challenge", "disable"))
                .ofMaxSize(2),
            Arbitraries.of(Sensitivity.values()),
            Arbitraries.of("simulate", "block", "challenge"),
            Combinators.combine(Arbitraries.of("ssl", "true"), Arbitraries.of(true, false))
                .as(Rules.Summary::new)
                .list()
                .ofMaxSize(3),
            Combinators.combine(urls, Arbitraries.of(Effect.values()))
                .as(PageRule::new)
                .list()
                .ofMaxSize(3))
        .as((a, b, c, d, e, f, g) -> new LegacyConfiguration(a, b, c, d, e, f, g, false));
  }
}
