package dev.holdfast.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files with the JSON that verbs print; rewritten with {@code -Dholdfast.golden.write=true}. */
final class Golden {

  private static final Path RESOURCES = Path.of("src/test/resources");

  private Golden() {}

  static void require(String name, String json) throws IOException {
    Path golden = RESOURCES.resolve(name + ".json");
    if (Boolean.getBoolean("holdfast.golden.write")) {
      Files.createDirectories(golden.getParent());
      Files.writeString(golden, json);
    }
    assertThat(json).isEqualTo(Files.readString(golden));
  }
}
