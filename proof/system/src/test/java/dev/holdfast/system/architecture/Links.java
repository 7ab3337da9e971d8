package dev.holdfast.system.architecture;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Links of the documents to files and headings. Links to other hosts are not followed. */
final class Links {

  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```|`[^`\n]*`");
  private static final Pattern LINK =
      Pattern.compile("]\\((?<file>[^)#\\s]*)(#(?<heading>[^)\\s]*))?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Set<String> SKIPPED = Set.of("target", "node_modules", ".git");

  private Links() {}

  /** Returns the links below a folder that lead nowhere, as {@code page: link}. */
  static List<String> broken(Path root) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages(root)) {
      String text = CODE.matcher(Files.readString(page)).replaceAll("");
      for (MatchResult link : LINK.matcher(text).results().toList()) {
        if (!link.group("file").contains(":") && !leadsSomewhere(page, link)) {
          String target = link.group().substring(2, link.group().length() - 1);
          broken.add(root.relativize(page) + ": " + target);
        }
      }
    }
    return broken;
  }

  /** Returns the documents below a folder, without what the build makes. */
  static List<Path> pages(Path root) throws IOException {
    List<Path> pages = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".md")) {
              pages.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return pages;
  }

  private static boolean leadsSomewhere(Path page, MatchResult link) throws IOException {
    Path file =
        link.group("file").isEmpty() ? page : page.resolveSibling(link.group("file")).normalize();
    if (!Files.exists(file)) {
      return false;
    }
    String heading = link.group("heading");
    return heading == null || !file.toString().endsWith(".md") || anchors(file).contains(heading);
  }

  /** The anchors of a page, as hosts of repositories make them; a repeated one gets a number. */
  private static Set<String> anchors(Path page) throws IOException {
    String text =
        Pattern.compile("(?ms)^ *```.*?^ *```").matcher(Files.readString(page)).replaceAll("");
    Map<String, Integer> anchors = new HashMap<>();
    for (MatchResult heading : HEADING.matcher(text).results().toList()) {
      String anchor =
          heading
              .group(1)
              .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N} _-]", "")
              .replace(' ', '-');
      int before = anchors.merge(anchor, 1, Integer::sum) - 1;
      if (before > 0) {
        anchors.put(anchor + "-" + before, 1);
      }
    }
    return anchors.keySet();
  }
}
