package dev.holdfast.http.analysis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Returns the known threats of hosts and URLs. Thread-safe; must return without blocking. */
public interface ReputationFeed {

  /** An empty feed. */
  ReputationFeed EMPTY = hostOrUrl -> List.of();

  /**
   * {@return the threat categories of a host or a URL; empty if none are known}
   *
   * @param hostOrUrl a host in lower case, or a URL
   */
  List<String> categories(String hostOrUrl);

  /**
   * Reads a feed: each line has a host or URL, a tab, and categories separated by commas. Empty
   * lines and those that begin with {@code #} are skipped.
   *
   * @param file the file, in UTF-8
   * @return the feed
   * @throws IOException if the file cannot be read, or a line is malformed
   */
  static ReputationFeed ofFile(Path file) throws IOException {
    Map<String, List<String>> known = new HashMap<>();
    int number = 0;
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      int tab = line.indexOf('\t');
      if (tab < 1 || tab == line.length() - 1) {
        throw new IOException(
            file + ", line " + number + ": expected a host or URL, a tab, categories");
      }
      List<String> categories =
          List.of(line.substring(tab + 1).split(",", -1)).stream().map(String::strip).toList();
      known.put(line.substring(0, tab).strip().toLowerCase(Locale.ROOT), categories);
    }
    Map<String, List<String>> fixed = Map.copyOf(known);
    return hostOrUrl -> fixed.getOrDefault(hostOrUrl.toLowerCase(Locale.ROOT), List.of());
  }
}
