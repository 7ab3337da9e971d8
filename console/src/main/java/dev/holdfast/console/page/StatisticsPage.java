package dev.holdfast.console.page;

import dev.holdfast.operator.OperatorRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every number that the runtime has. Immutable.
 *
 * @param frame what surrounds it
 * @param groups the numbers, by the part of the runtime
 */
public record StatisticsPage(PageFrame frame, List<Group> groups) {

  private static final int NUMBERS_MAX = 10_000;

  /**
   * The numbers of a part.
   *
   * @param name the part
   * @param numbers its numbers
   */
  public record Group(String name, List<Entry> numbers) {}

  /**
   * A number.
   *
   * @param name its name; members of members are separated by dots
   * @param value the number with its unit
   */
  public record Entry(String name, String value) {}

  /**
   * Reads the page.
   *
   * @param frame what surrounds it
   * @param source the runtime
   * @return the page
   * @throws PageException if the runtime does not answer
   */
  public static StatisticsPage read(PageFrame frame, Source source) {
    Map<String, @Nullable Object> stats = source.ask(OperatorRequest.of("stats"), 1).one();
    List<Entry> own = new ArrayList<>();
    List<Group> groups = new ArrayList<>();
    stats.forEach(
        (name, value) -> {
          List<Entry> numbers = value instanceof Map<?, ?> ? new ArrayList<>() : own;
          if (value instanceof Map<?, ?> members) {
            members.forEach((member, of) -> add(String.valueOf(member), of, numbers));
            groups.add(new Group(name, numbers));
          } else {
            add(name, value, own);
          }
        });
    groups.addFirst(new Group("runtime", own));
    return new StatisticsPage(frame, List.copyOf(groups));
  }

  private static void add(String name, @Nullable Object value, List<Entry> to) {
    if (value instanceof Map<?, ?> members) {
      members.forEach((member, of) -> add(name + "." + member, of, to));
    } else if (to.size() < NUMBERS_MAX) {
      to.add(new Entry(name, shown(name, value)));
    }
  }

  /** The name says the unit, also of the members of a histogram. */
  private static String shown(String name, @Nullable Object value) {
    if (!(value instanceof Number) || name.endsWith(".count")) {
      return value instanceof Number ? Text.number(value) : Text.of(value);
    }
    if (name.contains("Nanos")) {
      return Text.duration(value);
    }
    return name.toLowerCase(Locale.ROOT).contains("bytes") ? Text.bytes(value) : Text.number(value);
  }
}
