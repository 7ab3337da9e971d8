package dev.holdfast.http.analysis;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * How much a script looks as if it took what visitors type into forms to a foreign host. Two things
 * must be near each other: a way to collect input, and a way to send it to an address that the
 * script itself has, without interest in an answer. A checkout that sends a form to its own host,
 * or that uses the answer, has no such way.
 *
 * @param sending how openly it sends something to a foreign host; 0 if it does not
 * @param collecting how much input it collects near that
 */
record SkimmerSigns(int sending, int collecting) {

  /** From this on, both together are the pattern of a skimmer. */
  private static final int SUSPICIOUS_FROM = 7;

  private static final int SENDING_FROM = 2;
  private static final int COLLECTING_FROM = 4;

  private static final JsonNode SIGNS =
      JsonMapper.shared()
          .readTree(
              Objects.requireNonNull(
                  SkimmerSigns.class.getResourceAsStream("skimmer-signs.json"),
                  "skimmer-signs.json"));

  /** Hosts that are named in many harmless scripts, and those that payments go to. */
  private static final List<String> KNOWN_HOSTS =
      SIGNS.get("known_hosts").valueStream().map(JsonNode::stringValue).toList();

  private static final List<Way> WAYS = SIGNS.get("ways").valueStream().map(Way::of).toList();
  private static final List<Collecting> COLLECTING =
      SIGNS.get("collecting").valueStream().map(Collecting::of).toList();

  private static final int WINDOW = 6_000;
  private static final int STEP = WINDOW / 2;

  private static final Pattern FOREIGN =
      Pattern.compile("['`](?:https?:|wss?:)?//([A-Za-z0-9][\\w.-]{2,100})");
  private static final Pattern NAMED =
      Pattern.compile(
          "([A-Za-z_$][\\w$]{0,40})'?\\s{0,5}[=:]\\s{0,5}['`](?:https?:|wss?:)?//([A-Za-z0-9][\\w.-]{2,100})");
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_$][\\w$]{0,40}");

  /** An address that is put together when the script runs. */
  private static final Pattern COMPUTED =
      Pattern.compile("['`](?:https?:|wss?:)?//(?:'\\s{0,5}\\+|\\$\\{)");

  /** Characters that are decoded with a key. */
  private static final Pattern DECODER = Pattern.compile("fromCharCode\\([^)\\x0A]{0,80}\\^");

  private static final Pattern CONTINUED = Pattern.compile("\\+|\\$\\{|concat");

  /** A way to send something to an address, which is the group of its pattern. */
  private record Way(Needs needs, Pattern use, Pattern beside) {

    static Way of(JsonNode way) {
      return new Way(
          Needs.valueOf(way.get("needs").stringValue().toUpperCase(Locale.ROOT)),
          Pattern.compile(way.get("use").stringValue()),
          Pattern.compile(way.path("beside").asString("")));
    }

    /** Returns how suspicious its uses with foreign addresses are. */
    int suspicion(String window, Set<String> names, Set<String> known) {
      return !has(beside, window)
          ? 0
          : use.matcher(window)
              .results()
              .filter(found -> isForeign(found.group(1), names, known))
              .mapToInt(found -> suspicion(window, found))
              .max()
              .orElse(0);
    }

    private int suspicion(String window, MatchResult found) {
      return switch (needs) {
        case NOTHING -> 3;
        case DATA -> has(CONTINUED, found.group(1)) ? 3 : 0;
        case NO_ANSWER -> {
          String around =
              window.substring(
                  Math.max(0, found.start() - 500), Math.min(window.length(), found.end() + 1_000));
          yield has(NO_ANSWER, around) ? 4 : has(ANSWER, around) ? 0 : 3;
        }
      };
    }
  }

  /** What makes a use of a foreign address suspicious. */
  private enum Needs {
    NOTHING,
    /** The address has data in it. */
    DATA,
    /** The answer of the request cannot or will not be read. */
    NO_ANSWER
  }

  private static final Pattern STYLE =
      Pattern.compile(
          "url\\(\\s{0,5}['\"]?(?:https?:)?//([\\w.-]{3,100})[^')]{0,100}(?:'\\s{0,5}\\+|\\$\\{)");
  private static final Pattern PEER = Pattern.compile("RTCPeerConnection");
  private static final Pattern CHANNEL = Pattern.compile("createDataChannel");

  private static final Pattern ANSWER =
      Pattern.compile(
          "\\.then\\((?!\\s{0,5}(?:\\(\\s{0,5}\\)|function\\s{0,5}\\(\\s{0,5}\\))\\s{0,5}(?:=>)?\\s{0,5}\\{\\s{0,5}})"
              + "|\\bawait\\s|onload\\b|onreadystatechange|'load'|responseText|success\\s{0,5}:|\\.done\\(|\\.json\\(");
  private static final Pattern NO_ANSWER = Pattern.compile("no-cors|keepalive");

  private static final Pattern PAYMENT =
      Pattern.compile(
          "(?i)card[-_"
              + " ]?(?:number|num|no)\\b|cc[-_]?(?:number|num|no|csc|exp|cvv|cvc)\\b|cvv|\\bcvc2?\\b|security[-_]?code|card[-_"
              + " ]?holder|exp(?:iry|iration|ire)?[-_]?(?:date|month|year|mm|yy)\\b|expiry|credit[-_]?card"
              + "|cardcvc|cardexp|\\biban\\b|\\bpan\\b");

  /** What collects input, and how much it says. */
  private record Collecting(int weight, Pattern sign) {

    static Collecting of(JsonNode collecting) {
      return new Collecting(
          collecting.get("weight").intValue(),
          Pattern.compile(collecting.get("sign").stringValue()));
    }
  }

  private static final Pattern KEY_EVENT = Pattern.compile("(?:'|on|\\.)key(?:down|up|press)\\b");
  private static final Pattern KEY =
      Pattern.compile("\\.key\\b|\\.keyCode|\\.which\\b|\\.charCode\\b|fromCharCode");
  private static final Pattern RENAMED = Pattern.compile("\\b_0x[0-9a-f]{2,8}\\b");
  private static final Pattern ANY_SENDING =
      Pattern.compile(
          "sendBeacon|XMLHttpRequest|fetch\\(|'fetch'|\\bImage\\b|WebSocket|createElement");

  /** Returns the most suspicious signs in a script of a site with a domain, or without one. */
  static SkimmerSigns of(String sent, String siteDomain) {
    Set<String> known = new HashSet<>(KNOWN_HOSTS);
    if (!siteDomain.isEmpty()) {
      known.add(siteDomain);
    }
    String text = ScriptText.revealed(sent);
    boolean isObfuscated = RENAMED.matcher(sent).results().limit(12).count() == 12;
    SkimmerSigns worst = new SkimmerSigns(0, 0);
    for (int at = 0; at == 0 || at + STEP < text.length(); at += STEP) {
      String window = text.substring(at, Math.min(text.length(), at + WINDOW));
      SkimmerSigns signs = ofWindow(window, sent, isObfuscated, known);
      if (signs.weight() > worst.weight()) {
        worst = signs;
      }
    }
    return worst;
  }

  private static SkimmerSigns ofWindow(
      String window, String sent, boolean isObfuscated, Set<String> known) {
    Set<String> names = new HashSet<>();
    boolean isHidden = false;
    boolean isForeign = false;
    NAMED
        .matcher(window)
        .results()
        .filter(named -> isUnknown(named.group(2), known))
        .forEach(named -> names.add(named.group(1)));
    Matcher foreign = FOREIGN.matcher(window);
    while (foreign.find()) {
      if (isUnknown(foreign.group(1), known)) {
        isForeign = true;
        isHidden |= !sent.contains(foreign.group(1));
      }
    }
    Matcher style = STYLE.matcher(window);
    boolean isStyled = style.find() && isUnknown(style.group(1), known);
    if (has(DECODER, window) || has(COMPUTED, window) || isStyled) {
      isForeign = true;
      isHidden |= has(DECODER, window);
    }
    if (!isForeign) {
      return new SkimmerSigns(0, 0);
    }
    int sending = Math.max(isStyled ? 3 : 0, sending(window, names, known));
    if (sending == 0 && (isObfuscated || isHidden) && has(ANY_SENDING, window)) {
      sending = 2;
    }
    if (sending > 0 && isHidden) {
      sending += 2;
    }
    return new SkimmerSigns(sending, sending == 0 ? 0 : collecting(window));
  }

  private static boolean isUnknown(String host, Set<String> known) {
    String name = host.toLowerCase(Locale.ROOT);
    return known.stream().noneMatch(one -> name.equals(one) || name.endsWith("." + one));
  }

  private static int sending(String window, Set<String> names, Set<String> known) {
    return WAYS.stream()
        .mapToInt(way -> way.suspicion(window, names, known))
        .reduce(has(PEER, window) && has(CHANNEL, window) ? 2 : 0, Math::max);
  }

  /** Returns whether an argument is, or begins with, a foreign address or a name of one. */
  private static boolean isForeign(String argument, Set<String> names, Set<String> known) {
    if (has(COMPUTED, argument)
        || FOREIGN.matcher(argument).results().anyMatch(one -> isUnknown(one.group(1), known))) {
      return true;
    }
    Matcher name = IDENTIFIER.matcher(argument);
    return name.find()
        && name.start() <= 2
        && (names.contains(name.group()) || isMember(argument, name, names));
  }

  private static boolean isMember(String argument, Matcher first, Set<String> names) {
    int end = first.end();
    return end < argument.length()
        && argument.charAt(end) == '.'
        && first.find()
        && names.contains(first.group());
  }

  private static int collecting(String window) {
    long payment =
        PAYMENT
            .matcher(window)
            .results()
            .map(word -> word.group().toLowerCase(Locale.ROOT).replaceAll("[-_ ]", ""))
            .distinct()
            .limit(2)
            .count();
    int weight = payment == 2 ? 3 : 2 * (int) payment;
    weight += has(KEY_EVENT, window) && has(KEY, window) ? 4 : 0;
    for (Collecting one : COLLECTING) {
      weight += has(one.sign(), window) ? one.weight() : 0;
    }
    return weight;
  }

  private static boolean has(Pattern pattern, String text) {
    return pattern.matcher(text).find();
  }

  private int weight() {
    return sending + collecting;
  }

  /** Returns whether this is the pattern of a skimmer. */
  boolean isSkimmer() {
    return sending >= SENDING_FROM && collecting >= COLLECTING_FROM && weight() >= SUSPICIOUS_FROM;
  }

  /** Returns the suspicion: 0 for none, 90 and more for the pattern of a skimmer. */
  int suspicion() {
    return isSkimmer() ? 90 + weight() - SUSPICIOUS_FROM : Math.min(80, 5 * weight());
  }
}
