package dev.holdfast.http.analysis;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a script with the usual disguises undone: escapes, joined strings, strings in base64,
 * as character codes or reversed, arrays of strings, and one well-known packer. Nothing is
 * executed. The patterns repeat single characters only, so their time is bounded by the length of
 * the text.
 */
final class ScriptText {

  private static final int LENGTH_MAX = 1_000_000;
  private static final int ARRAYS_MAX = 20;
  private static final int ARRAY_ITEMS_MAX = 2_000;
  private static final String DIGITS =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  private static final Pattern ESCAPE =
      Pattern.compile("\\\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\\{([0-9a-fA-F]{1,4})})");
  private static final Pattern DOUBLE_QUOTED = Pattern.compile("\"([^\"'`\\\\\\x0A]{0,4000})\"");
  private static final Pattern TEMPLATE = Pattern.compile("`([^\"'`\\\\\\x0A$]{0,4000})`");
  private static final Pattern JOINED = Pattern.compile("'\\s{0,20}\\+\\s{0,20}'");
  private static final Pattern BASE64_CALL =
      Pattern.compile(
          "(?:window\\.|self\\.)?atob\\(\\s{0,20}'([A-Za-z0-9+/=_-]{2,20000})'\\s{0,20}\\)");
  private static final Pattern BASE64_TEXT = Pattern.compile("'([A-Za-z0-9+/]{8,4000}={0,2})'");
  private static final Pattern CODES_CALL =
      Pattern.compile("fromCharCode\\(([0-9a-fxA-FX,\\s]{2,20000})\\)");
  private static final Pattern CODES = Pattern.compile("\\[([0-9a-fxA-FX,\\s]{12,20000})]");
  private static final Pattern REVERSED =
      Pattern.compile(
          "'([^'\\x0A]{1,4000})'\\s{0,20}\\.split\\(''\\)\\.reverse\\(\\)\\.join\\(''\\)");
  private static final Pattern PIECES =
      Pattern.compile(
          "\\[((?:'[^'\\x0A]{0,200}',?\\s{0,5}){2,60}+)]\\.join\\('([^'\\x0A]{0,5})'\\)");
  private static final Pattern ARRAY =
      Pattern.compile(
          "([A-Za-z_$][\\w$]{0,40})\\s{0,5}=\\s{0,5}\\[(\\s{0,5}(?:'[^'\\x0A]{0,400}',?\\s{0,5}){3,500}+)]");
  private static final String INDEX = "(0x[0-9a-f]{1,4}|\\d{1,4})";

  /** A function that returns an item of an array. */
  private static final Pattern READER =
      Pattern.compile(
          "([A-Za-z_$][\\w$]{0,40})\\s{0,5}=\\s{0,5}function\\s{0,5}\\(|function\\s{1,5}([A-Za-z_$][\\w$]{0,40})\\(");

  private static final Pattern OFFSET =
      Pattern.compile(
          "=\\s{0,5}[\\w$]{1,40}\\s{0,5}-\\s{0,5}(0x[0-9a-f]{1,4}|\\d{1,4})\\s{0,5}[;,]");
  private static final Pattern ITEM = Pattern.compile("'([^'\\x0A]{0,400})'");
  private static final Pattern MEMBER =
      Pattern.compile("(?<=[\\w$)\\]])\\[\\s{0,5}'([A-Za-z_$][\\w$]{0,60})'\\s{0,5}]");
  private static final Pattern PACKED =
      Pattern.compile(
          "}\\('([^\\x0A]{1,200000})',(\\d{1,2}),(\\d{1,5}),'([^'\\x0A]{0,100000})'\\.split");
  private static final Pattern WORD = Pattern.compile("\\b\\w{1,4}\\b");

  private ScriptText() {}

  /** Returns the text of a script as it was sent, with one character for each byte. */
  static String asSent(byte[] content) {
    return new String(
        content, 0, Math.min(content.length, LENGTH_MAX), StandardCharsets.ISO_8859_1);
  }

  /** Returns the text with its disguises undone. */
  static String revealed(String sent) {
    String text = unpacked(sent);
    text = replace(text, ESCAPE, ScriptText::escape);
    for (int round = 0; round < 3; round++) {
      text = replace(text, DOUBLE_QUOTED, found -> quoted(found.group(1)));
      text = replace(text, TEMPLATE, found -> quoted(found.group(1)));
      text = JOINED.matcher(text).replaceAll("");
      text = replace(text, BASE64_CALL, ScriptText::decoded);
      text = replace(text, BASE64_TEXT, ScriptText::decoded);
      text = replace(text, CODES_CALL, ScriptText::ofCodes);
      text = replace(text, CODES, ScriptText::ofCodes);
      text =
          replace(
              text,
              REVERSED,
              found -> quoted(new StringBuilder(found.group(1)).reverse().toString()));
      text =
          replace(
              text, PIECES, found -> quoted(String.join(found.group(2), items(found.group(1)))));
      text = withoutArrays(text);
      text = replace(text, MEMBER, found -> "." + found.group(1));
    }
    return text;
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }

  private static String replace(String text, Pattern pattern, Function<MatchResult, String> by) {
    return pattern.matcher(text).replaceAll(found -> Matcher.quoteReplacement(by.apply(found)));
  }

  private static String escape(MatchResult found) {
    for (int group = 1; group <= 3; group++) {
      if (found.group(group) != null) {
        char decoded = (char) Integer.parseInt(found.group(group), 16);
        return decoded == '\'' || decoded == '\n' ? " " : String.valueOf(decoded);
      }
    }
    return found.group();
  }

  /** Returns the text behind base64, if it is a text. */
  private static String decoded(MatchResult found) {
    try {
      String padded = found.group(1).replace('-', '+').replace('_', '/').replace("=", "");
      byte[] bytes = Base64.getDecoder().decode(padded);
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      return isText(text) ? quoted(text.replace('\'', '"')) : found.group();
    } catch (IllegalArgumentException e) {
      return found.group();
    }
  }

  private static String ofCodes(MatchResult found) {
    StringBuilder text = new StringBuilder();
    for (String code : found.group(1).split(",", -1)) {
      try {
        text.append((char) (Integer.decode(code.strip()) & 0xffff));
      } catch (NumberFormatException e) {
        return found.group();
      }
    }
    String decoded = text.toString();
    return decoded.length() > 3 && isText(decoded)
        ? quoted(decoded.replace('\'', '"'))
        : found.group();
  }

  private static boolean isText(String text) {
    return text.length() > 2 && text.chars().allMatch(c -> c == '\n' || (c >= ' ' && c < 127));
  }

  private static List<String> items(String array) {
    return ITEM.matcher(array).results().limit(ARRAY_ITEMS_MAX).map(item -> item.group(1)).toList();
  }

  /** Puts the strings of arrays where they are used. */
  private static String withoutArrays(String text) {
    String result = text;
    Matcher array = ARRAY.matcher(text);
    for (int i = 0; i < ARRAYS_MAX && array.find(); i++) {
      List<String> items = items(array.group(2));
      String name = Pattern.quote(array.group(1));
      result = withItems(result, "\\b" + name + "\\[\\s{0,5}" + INDEX + "\\s{0,5}]", 0, items);
      Matcher reader = READER.matcher(text);
      while (reader.find()) {
        String body = text.substring(reader.end(), Math.min(text.length(), reader.end() + 300));
        if (body.contains(array.group(1) + "[")) {
          Matcher offset = OFFSET.matcher(body);
          String reads = reader.group(1) == null ? reader.group(2) : reader.group(1);
          result =
              withItems(
                  result,
                  "\\b"
                      + Pattern.quote(reads)
                      + "\\(\\s{0,5}'?"
                      + INDEX
                      + "'?\\s{0,5}(?:,[^)]{0,20})?\\)",
                  offset.find() ? number(offset.group(1)) : 0,
                  items);
        }
      }
    }
    return result;
  }

  /** Puts items where they are read by their index. */
  private static String withItems(String text, String use, int offset, List<String> items) {
    return replace(
        text,
        Pattern.compile(use),
        found -> {
          int index = number(found.group(1)) - offset;
          return index >= 0 && index < items.size() ? quoted(items.get(index)) : found.group();
        });
  }

  private static int number(String text) {
    return text.startsWith("0x")
        ? Integer.parseInt(text, 2, text.length(), 16)
        : Integer.parseInt(text);
  }

  /** Adds what a script of the packer "p,a,c,k,e,d" evaluates. */
  private static String unpacked(String text) {
    int packer = text.indexOf("function(p,a,c,k,e,");
    int begin = packer < 0 ? -1 : text.indexOf("}('", packer);
    if (begin < 0) {
      return text;
    }
    // At one place only: the pattern reads to the end of the line.
    Matcher packed = PACKED.matcher(text).region(begin, text.length());
    if (!packed.lookingAt()) {
      return text;
    }
    int radix = Integer.parseInt(packed.group(2));
    String[] words = packed.group(4).split("\\|", -1);
    if (radix < 2 || radix > DIGITS.length()) {
      return text;
    }
    String code =
        replace(
            packed.group(1),
            WORD,
            found -> {
              int index = number(found.group(), radix);
              return index >= 0 && index < words.length && !words[index].isEmpty()
                  ? words[index]
                  : found.group();
            });
    return text + "\n" + code.replace("\\'", "'");
  }

  /** Returns the number that a word is, with the digits 0 to 9, a to z and A to Z; or -1. */
  private static int number(String word, int radix) {
    int number = 0;
    for (int i = 0; i < word.length(); i++) {
      int digit = DIGITS.indexOf(word.charAt(i));
      if (digit < 0 || digit >= radix) {
        return -1;
      }
      number = number * radix + digit;
    }
    return number;
  }
}
