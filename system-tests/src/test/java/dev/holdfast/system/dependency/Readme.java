package dev.holdfast.system.dependency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** {@return the first block in a language: what a newcomer copies first} */
  String block(String language) {
    Matcher matcher =
        Pattern.compile("^```" + language + "\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
            .matcher(text);
    if (!matcher.find()) {
      throw new AssertionError("README.md has no block of " + language);
    }
    return matcher.group(1);
  }
}
