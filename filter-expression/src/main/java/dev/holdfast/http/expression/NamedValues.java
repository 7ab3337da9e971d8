package dev.holdfast.http.expression;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Names with values, in the order of the request; a name may be repeated. Immutable.
 *
 * @param all the pairs
 */
record NamedValues(List<NamedValue> all) {

  /** A name with a value. */
  record NamedValue(String name, String value) {}

  static NamedValues of(Map<String, List<String>> byName) {
    return new NamedValues(
        byName.entrySet().stream()
            .flatMap(entry -> entry.getValue().stream().map(v -> new NamedValue(entry.getKey(), v)))
            .toList());
  }

  /** Reads pairs with an equals sign in each; the value is empty without one. */
  static NamedValues read(String joined, String separator) {
    List<NamedValue> all = new ArrayList<>();
    for (String pair : joined.split(separator, -1)) {
      if (!pair.isBlank()) {
        String[] halves = pair.strip().split("=", 2);
        all.add(new NamedValue(halves[0], halves.length == 1 ? "" : halves[1]));
      }
    }
    return new NamedValues(all);
  }

  NamedValues map(UnaryOperator<String> names, UnaryOperator<String> values) {
    return new NamedValues(
        all.stream()
            .map(pair -> new NamedValue(names.apply(pair.name()), values.apply(pair.value())))
            .toList());
  }

  List<String> names() {
    return all.stream().map(NamedValue::name).toList();
  }

  List<String> values() {
    return all.stream().map(NamedValue::value).toList();
  }

  Map<String, List<String>> byName() {
    Map<String, List<String>> byName = new LinkedHashMap<>();
    all.forEach(
        pair -> byName.computeIfAbsent(pair.name(), name -> new ArrayList<>()).add(pair.value()));
    return byName;
  }
}
