package dev.holdfast.console.page;

import java.util.List;
import java.util.Map;

/** Reads members of answers, which may be missing in those of another version. */
public final class AnswerMembers {

  private AnswerMembers() {}

  /**
   * {@return the members of a member; none if it is no map}
   *
   * @param of an answer, or a part of one
   * @param name the member
   */
  public static Map<?, ?> map(Map<?, ?> of, String name) {
    return of.get(name) instanceof Map<?, ?> members ? members : Map.of();
  }

  /**
   * {@return the elements of a member that are maps}
   *
   * @param of an answer, or a part of one
   * @param name the member
   */
  public static List<Map<?, ?>> list(Map<?, ?> of, String name) {
    return of.get(name) instanceof List<?> elements
        ? elements.stream()
            .filter(Map.class::isInstance)
            .<Map<?, ?>>map(each -> (Map<?, ?>) each)
            .toList()
        : List.of();
  }
}
