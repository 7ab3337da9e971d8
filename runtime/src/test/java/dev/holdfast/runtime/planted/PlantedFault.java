package dev.holdfast.runtime.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small change of one source file of the engine that breaks it.
 *
 * @param what what is broken
 * @param file below the sources of the engine's internals
 * @param original a piece of it that occurs once
 * @param replacement what stands there instead
 */
record PlantedFault(String what, String file, String original, String replacement) {

  private static final Path INTERNALS = Path.of("src/main/java/dev/holdfast/runtime/internal");

  /** {@return the broken source} */
  String source() throws IOException {
    String text = Files.readString(INTERNALS.resolve(file));
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

  String className() {
    return file.substring(file.lastIndexOf('/') + 1);
  }
}
