package dev.holdfast.served;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.http.HttpApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A linter of OpenAPI documents, from npm, on the document that the API serves. */
class ApiDocumentLintTest {

  private static final Path LINTER =
      Path.of("api-document/node_modules/.bin/redocly").toAbsolutePath();

  @TempDir private Path directory;

  @BeforeAll
  static void linterIsThere() {
    assumeTrue(
        Files.isExecutable(LINTER), "no linter: run \"npm ci\" in proof/server/api-document");
  }

  private JsonNode problems(String document) throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve("openapi.json"), document);
    Path found = directory.resolve("found.json");
    ProcessBuilder linter =
        new ProcessBuilder(LINTER.toString(), "lint", file.toString(), "--format=json")
            .directory(directory.toFile())
            .redirectOutput(found.toFile());
    linter.environment().put("REDOCLY_TELEMETRY", "off");
    linter.environment().put("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    Process process = linter.start();
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    int exitCode = process.waitFor();
    assertThat(exitCode).as(errors).isLessThan(2);
    return new JsonMapper().readTree(Files.readString(found)).get("problems");
  }

  @Test
  void documentHasNoMistake() throws Exception {
    assertThat(problems(HttpApi.openApi()).valueStream().map(JsonNode::toPrettyString)).isEmpty();
  }

  @Test
  void mistakeIsFound() throws Exception {
    assertThat(problems("{\"openapi\":\"3.1.0\"}")).isNotEmpty();
  }
}
