package dev.holdfast.http.firewall;

import com.google.re2j.Pattern;
import dev.holdfast.http.firewall.RequestTexts.Place;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A small managed ruleset: about thirty signs of attacks that scanners try first, each with a
 * weight that adds to the score, and a rule that judges the score. It is registered by default with
 * {@link #ID}, so that what a migration deploys is not empty. It is no substitute for a maintained
 * ruleset: it has no updates, and a careful attacker evades it. Thread-safe.
 *
 * <p>It reads the path, some headers, cookies, the query and bodies of the types form, JSON, XML
 * and text, in this order and with escapes decoded twice, up to 32,768 characters in all.
 */
public final class BasicRuleset implements ManagedRuleset {

  static {
    // Does what a "requires" would do if the library had a stable module name. A class literal
    // would be refused before its module is read.
    try {
      BasicRuleset.class.getModule().addReads(Class.forName("com.google.re2j.Pattern").getModule());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("RE2/J is missing: add com.google.re2j:re2j", e);
    }
  }

  /** The ruleset id to which the migration maps the previous core rule set. */
  public static final String ID = "4814384a9e5d4991b9815dcfc25d2f1f";

  /**
   * The rule that judges the score; its threshold and its action are what entry points override.
   */
  public static final String SCORE_RULE_ID = "6179ae15870a4bb7b2d480d4843b323c";

  private static final String SIGNATURES = "basic-ruleset.json";

  /** A certain sign decides alone at each threshold of the migration but the highest. */
  private static final int SCORE_MIN = 40;

  /** A rule with its pattern, which is searched only in texts that contain one of the hints. */
  private record Signature(ManagedRule rule, Set<Place> places, List<String> hints, Pattern regex) {

    boolean matches(RequestTexts.Text text) {
      return places.contains(text.place())
          && hints.stream().anyMatch(text.value()::contains)
          && regex.matcher(text.value()).find();
    }
  }

  private final List<Signature> signatures = new ArrayList<>();
  private final List<ManagedRule> rules;

  /** Compiles the patterns. */
  public BasicRuleset() {
    InputStream stored = BasicRuleset.class.getResourceAsStream(SIGNATURES);
    JsonMapper.shared()
        .readTree(Objects.requireNonNull(stored, SIGNATURES))
        .forEach(each -> signatures.add(signature(each)));
    List<ManagedRule> all = new ArrayList<>(signatures.stream().map(Signature::rule).toList());
    all.add(
        new ManagedRule(
            SCORE_RULE_ID,
            "The score of the request reaches the threshold",
            Set.of(),
            FirewallAction.BLOCK,
            0,
            SCORE_MIN,
            true));
    rules = List.copyOf(all);
  }

  private Signature signature(JsonNode of) {
    ManagedRule rule =
        new ManagedRule(
            "ba51c%027x".formatted(signatures.size() + 1),
            of.get("description").stringValue(),
            Set.of(
                of.get("category").stringValue(),
                "paranoia-level-" + of.get("paranoia_level").intValue()),
            FirewallAction.SCORE,
            of.get("score").intValue(),
            0,
            true);
    Set<Place> places = EnumSet.noneOf(Place.class);
    of.get("places")
        .forEach(place -> places.add(Place.valueOf(place.stringValue().toUpperCase(Locale.ROOT))));
    return new Signature(
        rule,
        places,
        of.get("hints").valueStream().map(JsonNode::stringValue).toList(),
        Pattern.compile(of.get("regex").stringValue()));
  }

  @Override
  public List<ManagedRule> rules() {
    return rules;
  }

  @Override
  public Set<String> matching(SiteRequest request) {
    Set<String> ids = new HashSet<>();
    for (RequestTexts.Text text : RequestTexts.of(request)) {
      for (Signature signature : signatures) {
        if (!ids.contains(signature.rule().id()) && signature.matches(text)) {
          ids.add(signature.rule().id());
        }
      }
    }
    return ids;
  }
}
