package dev.holdfast.guide;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The README of this repository. */
record Readme(String text) {

  /** Surefire starts tests in their module's directory. */
  static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  static Readme read() {
    try {
      return new Readme(Files.readString(ROOT.resolve("README.md")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return the first block in a language, which a new user copies first} */
  String block(String language) {
    return blocks(language).getFirst();
  }

  /** {@return all blocks in a language, in order} */
  List<String> blocks(String language) {
    List<String> blocks =
        Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(text)
            .results()
            .map(block -> block.group(1))
            .toList();
    if (blocks.isEmpty()) {
      throw new AssertionError("README.md has no block of " + language);
    }
    return blocks;
  }
}
