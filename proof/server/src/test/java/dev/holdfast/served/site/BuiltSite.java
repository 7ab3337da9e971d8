package dev.holdfast.served.site;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a built site.
 *
 * @param root the directory of its first page
 */
record BuiltSite(Path root) {

  /** What a browser loads by itself: not links that a reader follows. */
  private static final Pattern LOADED =
      Pattern.compile(
          "<(?:script|img|iframe|source|video|audio|embed)\\b[^>]*?\\ssrc=\"([^\"]*)\""
              + "|<link\\b[^>]*?\\shref=\"([^\"]*)\""
              + "|url\\(\\s*[\"']?([^\"')]*)"
              + "|@import\\s+[\"']([^\"']*)");

  private static final Pattern FOLLOWED = Pattern.compile("<a\\b[^>]*?\\shref=\"([^\"]*)\"");

  /** A scheme, or two slashes. */
  private static final Pattern ELSEWHERE = Pattern.compile("(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//.*");

  /** {@return addresses outside that pages and styles load, as {@code file: address}} */
  Set<String> loadedFromElsewhere() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : files(".html", ".css")) {
      for (MatchResult each : LOADED.matcher(Files.readString(file)).results().toList()) {
        String address = firstGroup(each);
        if (ELSEWHERE.matcher(address).matches()) {
          found.add(root.relativize(file) + ": " + address);
        }
      }
    }
    return found;
  }

  /** {@return links to pages and files that are not there, as {@code file: address}} */
  Set<String> deadLinks() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path file : files(".html")) {
      String text = Files.readString(file);
      Stream.concat(FOLLOWED.matcher(text).results(), LOADED.matcher(text).results())
          .map(BuiltSite::firstGroup)
          .filter(address -> !isThere(file, address))
          .forEach(address -> found.add(root.relativize(file) + ": " + address));
    }
    return found;
  }

  private boolean isThere(Path file, String address) {
    String path =
        URLDecoder.decode(address.split("[#?]", 2)[0].replace("+", "%2B"), StandardCharsets.UTF_8);
    if (path.isEmpty() || path.contains(":") || ELSEWHERE.matcher(address).matches()) {
      return true;
    }
    Path target =
        path.startsWith("/") ? root.resolve(path.substring(1)) : file.resolveSibling(path);
    return Files.isRegularFile(target)
        || Files.isRegularFile(target.resolve("index.html"))
        || Files.isRegularFile(Path.of(target + ".html"));
  }

  private static String firstGroup(MatchResult match) {
    for (int i = 1; i <= match.groupCount(); i++) {
      if (match.group(i) != null) {
        return match.group(i);
      }
    }
    return "";
  }

  private List<Path> files(String... endings) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(file -> Stream.of(endings).anyMatch(file.toString()::endsWith)).toList();
    }
  }
}
