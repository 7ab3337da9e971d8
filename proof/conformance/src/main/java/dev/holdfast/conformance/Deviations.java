package dev.holdfast.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.conformance.host.StorageEngine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The intended differences: the list in {@code deviations.json}. Immutable. */
final class Deviations {

  private static final String FILE = "deviations.json";

  private final List<Rule> rules;

  private Deviations(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /**
   * A kind of difference. All given patterns must be found.
   *
   * @param id its name in {@code docs/conformance.md}
   * @param reason the reason
   * @param statement found in the statement whose cursor the operation opened or used
   * @param settles whether the cursor must count the same as the reference's where it was last seen
   * @param cursorHas the events that the cursor must have had before the operation
   * @param ignoring the parts to omit from both answers, which are then equal
   * @param within found in the steps of the case
   * @param steps found in the steps of the case; such a rule excuses no single difference
   * @param backend for a rule with {@code steps}: the backend of the reference that the case may
   *     follow instead
   * @param changesState whether the object has other content from here on, so that the rest of the
   *     case reads different data; errors are still compared
   * @param changesSchema whether it also has other tables, views or triggers, so that errors may
   *     mention them
   */
  record Rule(
      String id,
      String reason,
      @Nullable Pattern engine,
      @Nullable Pattern area,
      @Nullable Pattern name,
      @Nullable Pattern operation,
      @Nullable Pattern expected,
      @Nullable Pattern actual,
      @Nullable Pattern statement,
      boolean settles,
      CursorTrace.@Nullable Event cursorHas,
      @Nullable Pattern ignoring,
      @Nullable Pattern within,
      @Nullable Pattern steps,
      String backend,
      boolean changesState,
      boolean changesSchema) {

    private boolean matches(RecordedCase recorded, StorageEngine on, Mismatch difference) {
      return steps == null
          && found(engine, on.label())
          && found(area, recorded.area())
          && found(name, recorded.name())
          && found(operation, difference.operation())
          && found(within, recorded.steps().toString())
          && found(expected, difference.expected())
          && found(actual, difference.actual())
          && (statement == null || found(statement, statementOf(difference)))
          && (!settles || (difference.cursor() != null && difference.cursor().settles()))
          && (cursorHas == null || difference.past().contains(cursorHas))
          && (ignoring == null || rest(difference.expected()).equals(rest(difference.actual())));
    }

    private static String statementOf(Mismatch difference) {
      return difference.cursor() == null ? "" : difference.cursor().statement();
    }

    private String rest(String answer) {
      return ignoring == null ? answer : ignoring.matcher(answer).replaceAll("");
    }

    private static boolean found(@Nullable Pattern pattern, String text) {
      return pattern == null || pattern.matcher(text).find();
    }
  }

  static Deviations load() {
    try (InputStream in =
        Objects.requireNonNull(Deviations.class.getResourceAsStream(FILE), FILE)) {
      List<Rule> rules = new ArrayList<>();
      for (JsonNode json : new JsonMapper().readTree(in)) {
        rules.add(
            new Rule(
                json.path("id").asText(),
                json.path("reason").asText(),
                pattern(json, "engine"),
                pattern(json, "area"),
                pattern(json, "case"),
                pattern(json, "operation"),
                pattern(json, "expected"),
                pattern(json, "actual"),
                pattern(json, "statement"),
                json.path("settles").asBoolean(),
                json.has("cursorHas")
                    ? CursorTrace.Event.valueOf(json.get("cursorHas").asText())
                    : null,
                pattern(json, "ignoring"),
                pattern(json, "within"),
                pattern(json, "steps"),
                json.path("backend").asText(),
                json.path("changesState").asBoolean(),
                json.path("changesSchema").asBoolean()));
      }
      return new Deviations(rules);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable Pattern pattern(JsonNode json, String field) {
    return json.has(field) ? Pattern.compile(json.get(field).asText(), Pattern.DOTALL) : null;
  }

  List<Rule> rules() {
    return rules;
  }

  /** The rule by which a case may follow another backend of the reference. */
  Optional<Rule> ruleForBackend(RecordedCase recorded, StorageEngine on) {
    return rules.stream()
        .filter(
            rule ->
                rule.steps() != null
                    && rule.steps().matcher(recorded.steps().toString()).find()
                    && Rule.found(rule.engine(), on.label())
                    && recorded.expected().containsKey(rule.backend()))
        .findFirst();
  }

  Optional<Rule> ruleFor(RecordedCase recorded, StorageEngine engine, Mismatch difference) {
    Mismatch error = difference.ofTheErrorAlone();
    return rules.stream()
        .filter(
            rule ->
                rule.matches(recorded, engine, difference) || rule.matches(recorded, engine, error))
        .findFirst();
  }
}
