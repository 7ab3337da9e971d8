package dev.holdfast.http.internal.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.http.object.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Converts JSON text to trees and back, within limits that hold for any text. */
public final class Json {

  /** The nesting of arrays and objects: deeper text would take the stack. */
  private static final int DEPTH_MAX = 64;

  /** The longest string, in characters. */
  private static final int STRING_LENGTH_MAX = 262_144;

  /** The longest number, in characters: the time to convert one grows faster than its length. */
  private static final int NUMBER_LENGTH_MAX = 64;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEPTH_MAX)
                          .maxStringLength(STRING_LENGTH_MAX)
                          .maxNumberLength(NUMBER_LENGTH_MAX)
                          .maxNameLength(1_000)
                          .build())
                  // Different readers interpret two members with one name differently.
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /**
   * For JSON that this program has written, and its records: members in snake case, words of enums
   * in lower case. Such JSON is nested deeper than in the original request, and accepted data must
   * never be refused when it is read back: so without those limits.
   */
  private static final JsonMapper OWN =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .changeDefaultPropertyInclusion(
              inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
          // A list is read while it is written: what fails is reported as what it is.
          .disable(SerializationFeature.WRAP_EXCEPTIONS)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .build();

  /** For values of this program and of rows: members in snake case, whole numbers as long. */
  private static final JsonMapper COLUMNS =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(DeserializationFeature.USE_LONG_FOR_INTS)
          .build();

  /**
   * An escape in a valid text: a whole surrogate pair, one that forms no whole character, or
   * another. Unescaped text was decoded from UTF-8, so it cannot hold anything else.
   */
  private static final Pattern ESCAPE =
      Pattern.compile(
          "\\\\(?:u[dD][89abAB]\\w\\w\\\\u[dD][c-fC-F]\\w\\w"
              + "|(?<wrong>u(?:0000|[dD][89a-fA-F]\\w\\w))|.)");

  private Json() {}

  /**
   * {@return the text of a resource; closes it}
   *
   * @param found the resource, which only its own module finds
   */
  public static String resource(@Nullable InputStream found) {
    try (InputStream in = Objects.requireNonNull(found, "a resource of this module is missing")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a request's body.
   *
   * @param text the body
   * @return its tree
   * @throws RefusedException if it is not JSON, or is beyond a limit
   */
  public static JsonNode readBody(String text) {
    if (text.isBlank()) {
      throw RefusedException.invalidJson("the body is empty", "");
    }
    JsonNode tree;
    try {
      tree = MAPPER.readTree(text);
    } catch (JacksonException e) {
      throw RefusedException.invalidJson(reason(e), "");
    }
    int first = text.indexOf('\\');
    Matcher escape = ESCAPE.matcher(text);
    while (first >= 0 && escape.find()) {
      if (escape.group("wrong") != null) {
        // SQLite stores UTF-8, which cannot represent half a character.
        String reason = "a string holds half of a surrogate pair, or U+0000";
        throw RefusedException.invalidJson(reason + position(text, escape.start()), "");
      }
    }
    return tree;
  }

  /**
   * Reads JSON that this program has written.
   *
   * @param text the text
   * @return its tree
   */
  public static JsonNode read(String text) {
    return OWN.readTree(text);
  }

  /**
   * Reads JSON that this program has written and that is an object.
   *
   * @param text the text
   * @return its tree
   */
  public static ObjectNode readObject(String text) {
    return (ObjectNode) OWN.readTree(text);
  }

  /**
   * {@return an object with the members of both, at every depth}
   *
   * @param defaults is changed
   * @param given its members and items win, except for those that are null
   */
  public static ObjectNode merge(ObjectNode defaults, ObjectNode given) {
    return OWN.readerForUpdating(defaults)
        .without(JsonNodeFeature.READ_NULL_PROPERTIES)
        .readValue(given);
  }

  /**
   * {@return the text of a tree}
   *
   * @param tree the tree
   */
  public static String write(JsonNode tree) {
    return MAPPER.writeValueAsString(tree);
  }

  /**
   * {@return the tree of a record: its components in snake case, without those that are null}
   *
   * @param row the record
   */
  public static ObjectNode tree(Record row) {
    return OWN.valueToTree(row);
  }

  /**
   * {@return the record that a tree describes}
   *
   * @param <T> the type of the record
   * @param tree a tree with a member for each component of a simple type
   * @param type the record
   */
  public static <T> T read(JsonNode tree, Class<T> type) {
    return OWN.treeToValue(tree, type);
  }

  /**
   * {@return the text of a record}
   *
   * @param row the record
   */
  public static String write(Record row) {
    return OWN.writeValueAsString(row);
  }

  /**
   * {@return the values of a record by the columns of its components: enums as their names}
   *
   * @param row the record
   */
  public static Map<String, ?> columns(Record row) {
    return COLUMNS.convertValue(row, new TypeReference<Map<String, Object>>() {});
  }

  /**
   * {@return the value of a tree: a text, number, boolean, list or map}
   *
   * @param tree the tree
   */
  public static Object value(JsonNode tree) {
    if (tree.isArray()) {
      return tree.valueStream().map(Json::value).toList();
    }
    if (tree.isObject()) {
      Map<String, Object> map = new LinkedHashMap<>();
      tree.properties().forEach(member -> map.put(member.getKey(), value(member.getValue())));
      return map;
    }
    if (tree.isBoolean()) {
      return tree.booleanValue();
    }
    if (tree.isIntegralNumber() && tree.canConvertToLong()) {
      return tree.longValue();
    }
    // A number that is no long is a text, which no field of numbers accepts.
    return tree.isString() ? tree.stringValue() : tree.toString();
  }

  /**
   * {@return an array of trees}
   *
   * @param items the trees
   */
  public static ArrayNode array(Stream<? extends JsonNode> items) {
    return array().addAll(items.toList());
  }

  /** {@return a new empty object} */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** {@return a new empty array} */
  public static ArrayNode array() {
    return JsonNodeFactory.instance.arrayNode();
  }

  private static String position(String text, int index) {
    long line = 1 + text.substring(0, index).chars().filter(c -> c == '\n').count();
    return " at line " + line + ", column " + (index - text.lastIndexOf('\n', index));
  }

  private static String reason(JacksonException failure) {
    TokenStreamLocation at = failure.getLocation();
    // The library's own messages name its classes and options.
    String message = String.valueOf(failure.getOriginalMessage());
    String reason =
        switch (failure) {
          case StreamConstraintsException e -> "beyond a limit of depth, length or digits";
          case DatabindException e -> "something follows the value";
          default ->
              message.contains("end-of-input")
                  ? "the text ends too early"
                  : message.startsWith("Duplicate")
                      ? "a member is given twice"
                      : "something that is not JSON";
        };
    return at == null
        ? reason
        : reason + " at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }
}
