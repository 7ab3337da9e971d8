package dev.holdfast.system.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the guide compile; those of whole projects run in {@link TutorialTest}. */
final class GuidePagesTest {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");

  /** What the examples omit. */
  private static final String EXAMPLES =
      """
      import dev.holdfast.*;
      import dev.holdfast.embedded.*;
      import dev.holdfast.errors.*;
      import dev.holdfast.http.*;
      import dev.holdfast.http.server.*;
      import dev.holdfast.storage.*;
      import java.nio.file.*;
      import java.util.*;
      import java.util.concurrent.*;
      import dev.holdfast.InstanceResetException.WriteOutcome;

      abstract class Examples {
        interface Counter {
          long add(long delta);
        }

        interface Deposits {
          void deposit(String id, long cents);
        }

        record Settings(String theme, int size) {}

        ObjectContext context;

      %s
      }
      """;

  @TempDir private Path directory;

  @Test
  void examplesCompile() throws Exception {
    String holdfast = Readme.read().block("xml");
    OutsideProject project =
        new OutsideProject(
            directory, holdfast + holdfast.replace(">holdfast<", ">holdfast-http-server<"));
    StringBuilder members = new StringBuilder();
    List<String> blocks = blocks();
    for (int i = 0; i < blocks.size(); i++) {
      String block = blocks.get(i);
      boolean isMember = block.startsWith("record") || block.startsWith("static");
      members.append(
          isMember ? block : "void example%d() throws Exception {\n%s}\n".formatted(i, block));
    }

    assertThat(blocks).hasSizeGreaterThanOrEqualTo(4);
    project.source("Examples.java", EXAMPLES.formatted(members));
    project.compile();
  }

  private static List<String> blocks() throws IOException {
    try (var pages = Files.list(Readme.ROOT.resolve("docs/guide"))) {
      return pages
          .filter(page -> page.toString().endsWith(".md"))
          .sorted()
          .flatMap(page -> blocks(page).stream())
          .filter(block -> !block.startsWith("package "))
          .toList();
    }
  }

  private static List<String> blocks(Path page) {
    try {
      return BLOCK.matcher(Files.readString(page)).results().map(block -> block.group(1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
