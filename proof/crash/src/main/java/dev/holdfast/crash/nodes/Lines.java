package dev.holdfast.crash.nodes;

import java.util.List;

/** Lines in the order in which they came. */
public interface Lines {

  /**
   * Appends a line.
   *
   * @param line the line
   */
  void append(String line);

  /** {@return all lines} */
  List<String> all();
}
