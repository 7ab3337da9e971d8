package dev.holdfast.runtime;

import dev.holdfast.ObjectContext;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object whose code is given by the test, call by call. Code cannot cross the border of an
 * object; its number in {@link Host}'s table does.
 */
public interface Thing {

  public @Nullable Object run(int script) throws Exception;

  /** Code that runs in an object. */
  @FunctionalInterface
  interface Script<R> {
    R run(State self, ObjectContext context) throws Exception;
  }

  /** What one instance has in memory. */
  final class State {
    public final Map<String, Object> memory = new HashMap<>();
    public long count;
  }
}
