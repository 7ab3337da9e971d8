package dev.holdfast.backend.sqlite.binding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Another binding to SQLite is another package, and changes nothing outside it. */
final class BindingSeamTest {

  private static final Path SOURCES = Path.of("src/main/java/dev/holdfast/backend/sqlite");

  @Test
  void nativeLibraryIsKnownToTheBindingOnly() throws IOException {
    List<Path> knowing;
    try (Stream<Path> files = Files.walk(SOURCES)) {
      knowing = files.filter(BindingSeamTest::namesTheLibrary).toList();
    }

    assertThat(knowing).isNotEmpty();
    assertThat(knowing).allMatch(file -> file.startsWith(SOURCES.resolve("binding")));
  }

  private static boolean namesTheLibrary(Path file) {
    try {
      String source = file.toString().endsWith(".java") ? Files.readString(file) : "";
      return source.contains("org.sqlite") || source.contains("java.sql.");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
