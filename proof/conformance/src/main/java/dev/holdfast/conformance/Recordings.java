package dev.holdfast.conformance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.launcher.WrongInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads a directory of recordings: {@code cases} with {@code expected}, {@code bytes}, {@code
 * decode}.
 */
final class Recordings {

  private static final JsonMapper JSON = new JsonMapper();

  private final Path directory;

  Recordings(Path directory) {
    this.directory = directory;
  }

  /**
   * Returns the cases of op sequences, in the order of their files.
   *
   * @throws WrongInputException if a file cannot be read, or has no counterpart
   */
  List<RecordedCase> cases() {
    List<RecordedCase> cases = new ArrayList<>();
    for (Path file : files("cases")) {
      JsonNode recorded = read(file);
      JsonNode expected = read(directory.resolve("expected").resolve(file.getFileName()));
      Map<String, Map<String, JsonNode>> expectations = expectations(expected);
      for (JsonNode json : recorded.path("cases")) {
        String name = json.path("name").asText();
        Map<String, JsonNode> answers = expectations.get(name);
        if (answers == null) {
          throw new WrongInputException(
              file + ": nothing is expected of the case \"" + name + "\"");
        }
        cases.add(new RecordedCase(area(file), name, json.path("steps"), answers));
      }
    }
    return cases;
  }

  /** Returns the entries of files that hold bytes, by area. */
  List<RecordedBytes> bytes() {
    List<RecordedBytes> entries = new ArrayList<>();
    for (String folder : List.of("bytes", "decode")) {
      for (Path file : files(folder)) {
        for (JsonNode json : read(file).path("cases")) {
          entries.add(new RecordedBytes(folder + "/" + area(file), json));
        }
      }
    }
    return entries;
  }

  /** By case and backend. */
  private static Map<String, Map<String, JsonNode>> expectations(JsonNode file) {
    Map<String, Map<String, JsonNode>> cases = new HashMap<>();
    for (JsonNode json : file.path("cases")) {
      Map<String, JsonNode> answers = new HashMap<>();
      json.path("expect")
          .properties()
          .forEach(
              group -> {
                for (String backend : group.getKey().split(",", -1)) {
                  answers.put(backend.strip(), group.getValue());
                }
              });
      cases.put(json.path("name").asText(), answers);
    }
    return cases;
  }

  private static String area(Path file) {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - ".json".length());
  }

  private List<Path> files(String folder) {
    Path path = directory.resolve(folder);
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.filter(entry -> entry.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw new WrongInputException(path + " cannot be read: " + e);
    }
  }

  private static JsonNode read(Path file) {
    try {
      return JSON.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw new WrongInputException(file + " is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new WrongInputException(file + " cannot be read: " + e);
    }
  }
}
