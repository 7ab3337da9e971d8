package dev.holdfast.faults.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small change of one source file that breaks it.
 *
 * @param what what is broken
 * @param file the source
 * @param original a piece of it that occurs once
 * @param replacement what stands there instead
 */
public record PlantedFault(String what, Path file, String original, String replacement) {

  /**
   * {@return the broken source}
   *
   * @throws IOException if the source cannot be read
   * @throws IllegalStateException if the original is not there exactly once
   */
  public String source() throws IOException {
    String text = Files.readString(file);
    int at = text.indexOf(original);
    if (at < 0 || text.indexOf(original, at + 1) >= 0) {
      throw new IllegalStateException(
          "\""
              + what
              + "\": the original is not there exactly once in "
              + file
              + "; mend the list.");
    }
    return text.substring(0, at) + replacement + text.substring(at + original.length());
  }

  /** {@return the name of the file} */
  public String fileName() {
    return String.valueOf(file.getFileName());
  }
}
