package dev.holdfast.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** The contents of a directory. Owned by one thread. */
public final class Snapshot {

  private final Map<Integer, Cell.Dump> cells = new TreeMap<>();
  private final Map<Integer, Mirror.Dump> mirrors = new TreeMap<>();

  Map<Integer, Cell.Dump> cells() {
    return cells;
  }

  Map<Integer, Mirror.Dump> mirrors() {
    return mirrors;
  }

  void cell(int cell, Cell.Dump dump) {
    cells.put(cell, dump);
  }

  void mirror(int mirror, Mirror.Dump dump) {
    mirrors.put(mirror, dump);
  }

  /** Writes all contents, in the lines of {@link CrashReport}. */
  void report(Consumer<String> out) {
    cells.forEach((cell, dump) -> CrashReport.reportCell(cell, dump, out));
    mirrors.forEach((mirror, dump) -> CrashReport.reportMirror(mirror, dump, out));
  }

  /**
   * Takes a line.
   *
   * @param words its words, see {@link CrashReport}
   * @return whether it describes contents of the directory
   */
  boolean take(String[] words) {
    switch (words[0]) {
      case "C" ->
          cells.put(
              Integer.valueOf(words[1]),
              new Cell.Dump(
                  Long.parseLong(words[2]),
                  Long.parseLong(words[3]),
                  new HashMap<>(),
                  new HashMap<>()));
      case "K" -> cell(words).keys().put(CrashReport.text(words[2]), CrashReport.text(words[3]));
      case "R" -> cell(words).rows().put(Long.valueOf(words[2]), CrashReport.text(words[3]));
      case "M" ->
          mirrors.put(
              Integer.valueOf(words[1]),
              new Mirror.Dump(
                  Long.parseLong(words[2]), Long.parseLong(words[3]), new ArrayList<>()));
      case "N" ->
          notes(words).add(new Mirror.Note(Integer.parseInt(words[2]), Long.parseLong(words[3])));
      default -> {
        return false;
      }
    }
    return true;
  }

  private Cell.Dump cell(String[] words) {
    return cells.getOrDefault(
        Integer.valueOf(words[1]), new Cell.Dump(0, 0, new HashMap<>(), new HashMap<>()));
  }

  private List<Mirror.Note> notes(String[] words) {
    return mirrors
        .getOrDefault(Integer.valueOf(words[1]), new Mirror.Dump(0, 0, new ArrayList<>()))
        .notes();
  }
}
