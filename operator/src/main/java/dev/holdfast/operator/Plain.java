package dev.holdfast.operator;

import dev.holdfast.statistics.HistogramSnapshot;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Turns records of the API into the maps of an answer: the members are their components. */
public final class Plain {

  /**
   * The components of a type. The class makes new ones for each question, and a new accessor has to
   * get ready to be called: that is most of the work on a record.
   */
  private static final ClassValue<RecordComponent[]> COMPONENTS =
      new ClassValue<>() {
        @Override
        protected RecordComponent[] computeValue(Class<?> type) {
          return type.getRecordComponents();
        }
      };

  private Plain() {}

  /**
   * {@return the components of a record by name}
   *
   * @param value a record of the API
   */
  public static Map<String, @Nullable Object> map(Record value) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    for (RecordComponent component : COMPONENTS.get(value.getClass())) {
      try {
        members.put(component.getName(), of(component.getAccessor().invoke(value)));
      } catch (IllegalAccessException | InvocationTargetException e) {
        throw new IllegalStateException(value.getClass() + " is not readable.", e);
      }
    }
    return members;
  }

  private static @Nullable Object of(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Number number -> number;
      case Boolean flag -> flag;
      case Enum<?> constant -> constant.name();
      case Optional<?> optional -> of(optional.orElse(null));
      case HistogramSnapshot histogram -> histogram(histogram);
      case Record more -> map(more);
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        map.forEach((key, each) -> members.put(String.valueOf(key), of(each)));
        yield members;
      }
      case Collection<?> list -> list.stream().map(Plain::of).toList();
      default -> value.toString();
    };
  }

  private static Map<String, @Nullable Object> histogram(HistogramSnapshot histogram) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("count", histogram.count());
    members.put("mean", histogram.mean());
    for (double percent : List.of(50.0, 99.0, 99.9)) {
      String name = "p" + String.valueOf(percent).replace(".0", "").replace(".", "");
      members.put(name, histogram.percentile(percent));
    }
    members.put("max", histogram.max());
    return members;
  }
}
