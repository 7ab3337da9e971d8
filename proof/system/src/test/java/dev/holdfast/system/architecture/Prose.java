package dev.holdfast.system.architecture;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds phrases in documents, comments and messages for which plain technical English has a
 * standard term. Code, links and quotations are skipped. Stateless.
 */
final class Prose {

  /** Persons instead of threads and callers, and phrases that hide the subject or the verb. */
  private static final Pattern PHRASE =
      Pattern.compile(
          "(?<!\\b(?:anyone|someone|developers|visitors,) )\\bwho\\b"
              + "|\\b(?:whom|whoever|whomever|anew|so many|notes that"
              + "|(?:take|takes|took|taken|taking) note"
              + "|(?:is|are|was|were|be|been|being) told|tells|words? leaves?"
              + "|behind the end|behind position|(?:see|sees|saw|seen) to it"
              + "|(?:come|comes|came) to nothing|out of its time)\\b",
          Pattern.CASE_INSENSITIVE);

  /** Further phrases that the guide and the public API are without. */
  private static final Pattern PUBLIC_PHRASE =
      Pattern.compile(
          "\\b(?:that|those) of (?:the|this|its|an?|all|each|every|their)\\b"
              + "|(?<!\\bthere )\\b(?:is|are) no (?!longer\\b)"
              + "|\\bof (?:its|their|our) own\\b",
          Pattern.CASE_INSENSITIVE);

  /** The same in messages, where a value often follows the phrase, and is a part of it. */
  private static final Pattern MESSAGE_PHRASE =
      Pattern.compile(
          "\\b(?:that|those) of\\b"
              + "|(?<!\\bthere )\\b(?:is|are) no (?!longer\\b)"
              + "|\\bof (?:its|their|our) own\\b",
          Pattern.CASE_INSENSITIVE);

  private static final List<String> PUBLIC = List.of("docs/guide/", "runtime-api/src/main/");

  private static final String LITERAL = "\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\"";

  /** Messages, joined over lines, and comments; a character literal may hold a quote. */
  private static final Pattern JAVA =
      Pattern.compile(
          "(?<message>\"\"\"(?s:.*?)\"\"\"|%1$s(?:\\s*\\+\\s*%1$s)*+)".formatted(LITERAL)
              + "|'(?:\\\\[^']*+|[^'\\\\])'"
              + "|(?<comment>//[^\\n]*+(?:\\n\\s*+//[^\\n]*+)*+|/\\*(?s:.*?)\\*/)");

  private static final Pattern MARKDOWN_SKIPPED =
      Pattern.compile("```(?s:.*?)```|`[^`]*`|\\]\\([^)]*\\)|\"[^\"]*\"");

  private static final Pattern COMMENT_SKIPPED =
      Pattern.compile("\\{@code [^}]*\\}|@\\w+ \\w+|\"[^\"]*\"");

  private Prose() {}

  /**
   * Returns the findings in all files below a directory, each with its file.
   *
   * @param root the directory
   * @param excluded the beginnings of paths to skip, relative to the directory
   */
  static List<String> below(Path root, List<String> excluded) throws IOException {
    List<String> findings = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean isMade = name.equals("target") || name.equals("node_modules");
            boolean isOurs = directory.equals(root) || !(isMade || hidden(name));
            return isOurs ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            String path = root.relativize(file).toString().replace('\\', '/');
            if (excluded.stream().noneMatch(path::startsWith)) {
              in(file).forEach(phrase -> findings.add(path + ": " + phrase));
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return findings;
  }

  private static boolean hidden(String name) {
    return name.startsWith(".") && name.length() > 2;
  }

  /** Returns the phrases in a file; none in files other than sources and documents. */
  static List<String> in(Path file) throws IOException {
    String path = file.toString().replace('\\', '/');
    List<Pattern> patterns = new ArrayList<>(List.of(PHRASE));
    if (PUBLIC.stream().anyMatch(path::contains)) {
      patterns.add(PUBLIC_PHRASE);
    }
    List<String> phrases = new ArrayList<>();
    for (Pattern pattern : patterns) {
      if (path.endsWith(".md")) {
        phrases.addAll(inMarkdown(Files.readString(file), pattern));
      } else if (path.endsWith(".java")) {
        phrases.addAll(inJava(Files.readString(file), path.contains("/src/main/"), pattern));
      }
    }
    if (path.endsWith(".java") && path.contains("/src/main/")) {
      phrases.addAll(inMessages(Files.readString(file)));
    }
    return phrases;
  }

  static List<String> inMarkdown(String text) {
    return inMarkdown(text, PHRASE);
  }

  private static List<String> inMarkdown(String text, Pattern pattern) {
    return phrases(MARKDOWN_SKIPPED.matcher(text).replaceAll(" - "), pattern);
  }

  /** Returns the phrases in comments and, if asked for, in messages. */
  static List<String> inJava(String source, boolean withMessages) {
    return inJava(source, withMessages, PHRASE);
  }

  private static List<String> inJava(String source, boolean withMessages, Pattern pattern) {
    List<String> phrases = new ArrayList<>();
    for (MatchResult part : JAVA.matcher(source).results().toList()) {
      String comment = part.group("comment");
      String message = part.group("message");
      if (comment != null) {
        String text = comment.replaceAll("\\s*\\n\\s*(?://|\\*)?\\s*", " ");
        phrases.addAll(phrases(COMMENT_SKIPPED.matcher(text).replaceAll(" - "), pattern));
      } else if (message != null && withMessages) {
        phrases.addAll(phrases(joined(message), pattern));
      }
    }
    return phrases;
  }

  /** Returns the phrases in the messages of a source, which its comments may still have. */
  static List<String> inMessages(String source) {
    return JAVA.matcher(source)
        .results()
        .map(part -> part.group("message"))
        .filter(Objects::nonNull)
        .flatMap(message -> phrases(joined(message), MESSAGE_PHRASE).stream())
        .toList();
  }

  private static String joined(String message) {
    return message.replaceAll("\"\\s*\\+\\s*\"", "");
  }

  private static List<String> phrases(String text, Pattern pattern) {
    return pattern
        .matcher(text)
        .results()
        .map(found -> found.group().toLowerCase(Locale.ROOT))
        .toList();
  }
}
