package dev.holdfast.system.dependency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The README of this repository. */
record Readme(String text) {

  /** Surefire starts tests in their module's directory. */
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  static Readme read() {
    try {
      return new Readme(Files.readString(ROOT.resolve("README.md")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@return the only block in a language} */
  String block(String language) {
    Matcher matcher =
        Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(text);
    List<String> blocks = matcher.results().map(found -> found.group(1)).toList();
    if (blocks.size() != 1) {
      throw new AssertionError("README.md has " + blocks.size() + " blocks of " + language);
    }
    return blocks.getFirst();
  }
}
