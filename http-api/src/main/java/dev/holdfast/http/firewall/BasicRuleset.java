package dev.holdfast.http.firewall;

import com.google.re2j.Pattern;
import dev.holdfast.http.firewall.RequestTexts.Place;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A small managed ruleset: twenty patterns of attacks that scanners try first, each scored, and a
 * rule that judges the score. It is registered by default with {@link #ID}, so that what a
 * migration deploys is not empty. It is no substitute for a maintained ruleset: it has no updates,
 * and a careful attacker evades it. Thread-safe.
 *
 * <p>It reads the path, the query, cookies, some headers and the beginning of bodies of the types
 * form, JSON, XML and text, with escapes decoded twice.
 */
public final class BasicRuleset implements ManagedRuleset {

  static {
    // Does what a "requires" would do if the library had a stable module name. A class literal
    // would
    // be refused before its module is read.
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

  /** Decides alone at each threshold of the migration but the highest. */
  private static final int CERTAIN = 40;

  private static final int LIKELY = 25;
  private static final int SCORE_MIN = 40;

  private static final Set<Place> VALUES = EnumSet.of(Place.PARAMETER, Place.COOKIE, Place.BODY);
  private static final Set<Place> ANYWHERE =
      EnumSet.of(Place.PATH, Place.PARAMETER, Place.COOKIE, Place.HEADER, Place.BODY);
  private static final Set<Place> PATHS = EnumSet.of(Place.PATH, Place.PARAMETER, Place.BODY);

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
    sqlInjection();
    crossSiteScripting();
    filesAndCommands();
    protocols();
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

  private void sqlInjection() {
    certain("sqli", VALUES, "A second SELECT", List.of("union"), UNION);
    certain("sqli", VALUES, "A condition that is always true", List.of("="), TAUTOLOGY);
    certain("sqli", VALUES, "A second statement", List.of(";"), SECOND_STATEMENT);
    certain(
        "sqli",
        VALUES,
        "A function that delays or reads files",
        List.of("sleep", "benchmark", "waitfor", "load_file", "extractvalue", "xp_cmdshell"),
        "\\b(sleep\\(\\s*[\\d.]+\\s*\\)|benchmark\\(\\s*\\d+\\s*,|waitfor\\s+delay\\s*'"
            + "|(load_file|extractvalue)\\s*\\(|xp_cmdshell\\b)");
    certain(
        "sqli",
        VALUES,
        "A quote, then a comment to the end",
        List.of("--", "#"),
        "[\\w)]['\"]\\s*\\)?\\s*(--|#)[\\s+-]*$");
    likely(
        "sqli",
        VALUES,
        "A catalog of a database",
        List.of("information_schema", "sqlite_master", "pg_catalog", "sysobjects"),
        "\\b(information_schema\\.\\w|sqlite_master|pg_catalog\\.\\w|sysobjects)\\b");
  }

  private static final String UNION =
      "\\bunion\\b[\\s(]+((all|distinct)[\\s(]+)?select[\\s(]+"
          + "(null\\b|'|\\d|@@|\\*|char\\(|concat|\\w+\\s+from\\b|\\w+\\s*,\\s*\\w+\\s*(,|from\\b|--|#|$))";

  private static final String TAUTOLOGY =
      "['\"]\\s*\\)?\\s*(or|and|\\|\\||&&)\\s*\\(?\\s*['\"]?\\w+['\"]?\\s*=\\s*['\"]?\\w"
          + "|\\b\\d+\\s*\\)?\\s+(or|and)\\s+\\(?\\s*(\\d+\\s*=\\s*\\d+|'[^']*'\\s*=\\s*')";

  private static final String SECOND_STATEMENT =
      "['\"\\d)]\\s*;\\s*(drop\\s+(table|database)|alter\\s+table|truncate\\s+table"
          + "|insert\\s+into|delete\\s+from|update\\s+\\w+\\s+set|exec(ute)?\\s+\\w|shutdown\\b)";

  private void crossSiteScripting() {
    certain("xss", ANYWHERE, "A script element", List.of("<script"), "<script[\\s/>]");
    certain(
        "xss",
        ANYWHERE,
        "An element with an event handler",
        List.of("<"),
        "<[a-z!?][^>]*[\\s/\"']on[a-z]{3,24}\\s*=");
    certain(
        "xss",
        ANYWHERE,
        "A URL that is a script",
        List.of("script:"),
        "(^|[\"'=(])\\s*(javascript|vbscript)\\s*:\\s*[^\\s]*[(`]");
    likely(
        "xss",
        VALUES,
        "An element that loads a document",
        List.of("<iframe", "<object", "<embed", "<base"),
        "<(iframe|object|embed|base)\\b[^>]*\\b(src|srcdoc|data|href)\\s*=");
  }

  private void filesAndCommands() {
    certain(
        "traversal",
        PATHS,
        "A path that climbs",
        List.of("../", "..\\", "..;"),
        "(^|[/\\\\=])\\.\\.;?[/\\\\]+(.*\\.\\.;?[/\\\\]|etc/|windows|boot\\.ini|proc/|web-inf)");
    certain(
        "traversal",
        PATHS,
        "A file that no client needs",
        List.of("/etc/", "/proc/", "boot.ini", "windows", "web-inf", ".git/", ".env", ".htpasswd"),
        "(^|file://|[=\\\\/])(etc/(passwd|shadow|group)\\b|proc/self/)|\\bboot\\.ini\\b"
            + "|c:[\\\\/]+windows[\\\\/]|/web-inf/|/\\.git/(config|head)\\b|/\\.env$|/\\.htpasswd\\b");
    certain(
        "rce",
        VALUES,
        "A command of a shell",
        List.of(";", "|", "`", "$(", "&"),
        "[;&|`]\\s*(cat|ls|wget|curl|nc|bash|sh|python3?|perl|ping)\\s+"
            + "(-\\w|/\\w|https?://|\\.\\.?/)|\\$\\(\\s*(id|whoami|cat|curl|wget|uname)\\b"
            + "|[;|`]\\s*(id|whoami|uname)\\s*(;|\\||`|$)");
    certain(
        "rce",
        ANYWHERE,
        "An expression that servers evaluate",
        List.of("${", "{{", "() {", "<%"),
        "\\$\\{\\s*jndi\\s*:|\\$\\{[^}]{0,60}\\$\\{[^}]*\\}|\\{\\{\\s*\\d+\\s*\\*\\s*['\\d]"
            + "|\\$\\{\\s*\\d+\\s*\\*\\s*\\d+\\s*\\}|^\\(\\)\\s*\\{[^}]*\\}\\s*;|<%=?\\s*\\w");
    certain(
        "rce",
        VALUES,
        "Code or a stream of PHP",
        List.of("<?php", "php://", "phar://", "expect://"),
        "<\\?php\\b|\\bphp://(input|filter)|\\b(phar|expect)://");
  }

  private void protocols() {
    certain(
        "protocol",
        EnumSet.of(Place.PATH, Place.PARAMETER, Place.COOKIE),
        "A line of a header",
        List.of("\n", "\r"),
        "[\\r\\n]\\s*(set-cookie|location|content-(type|length)|http/1\\.[01])\\s*[: ]");
    certain(
        "protocol",
        EnumSet.of(Place.PARAMETER, Place.NAME, Place.BODY),
        "An operator of a document database",
        List.of("$"),
        "\\[\\$(ne|gt|gte|lt|where|regex|in|nin)\\]|[{,]\\s*\"\\$(ne|gt|gte|lt|where|regex|nin)\"\\s*:");
    certain(
        "protocol",
        VALUES,
        "An external entity",
        List.of("<!entity", "<!doctype"),
        "<!entity\\s|<!doctype[^>\\[]*\\bsystem\\s+[\"']");
    certain(
        "protocol",
        VALUES,
        "An address inside the host's network",
        List.of("169.254.", "metadata.google", "gopher://", "dict://", "file://"),
        "^\\s*(https?://(169\\.254\\.169\\.254|metadata\\.google\\.internal)\\b"
            + "|(gopher|dict|file)://)");
    certain(
        "scanner",
        EnumSet.of(Place.HEADER),
        "A scanner that names itself",
        List.of("sqlmap", "nikto", "nmap", "acunetix", "nessus", "buster", "wpscan", "masscan"),
        "\\b(sqlmap|nikto|nmap|acunetix|nessus|dirbuster|gobuster|wpscan|masscan)\\b");
  }

  private void certain(
      String category, Set<Place> places, String description, List<String> hints, String regex) {
    add(category, 1, CERTAIN, places, description, hints, regex);
  }

  private void likely(
      String category, Set<Place> places, String description, List<String> hints, String regex) {
    add(category, 2, LIKELY, places, description, hints, regex);
  }

  private void add(
      String category,
      int level,
      int score,
      Set<Place> places,
      String description,
      List<String> hints,
      String regex) {
    String id = "ba51c%027x".formatted(signatures.size() + 1);
    ManagedRule rule =
        new ManagedRule(
            id,
            description,
            Set.of(category, "paranoia-level-" + level),
            FirewallAction.SCORE,
            score,
            0,
            true);
    signatures.add(new Signature(rule, places, hints, Pattern.compile(regex)));
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
