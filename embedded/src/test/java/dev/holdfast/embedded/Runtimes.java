package dev.holdfast.embedded;

import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.TimeSource;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens the runtimes of tests of the public API: with {@link Holdfast}, or with the class that the
 * system property {@code holdfast.test.opening} names, which has a method {@code open(Path,
 * TimeSource, Consumer)}. So the same tests run on what else is a runtime.
 */
public final class Runtimes {

  private static final @Nullable String OPENING = System.getProperty("holdfast.test.opening");

  private Runtimes() {}

  /** Opens a runtime with the time of the machine. */
  public static ObjectRuntime open(Path directory, Consumer<ObjectRegistrar> objects) {
    return OPENING == null
        ? Holdfast.open(directory, objects)
        : other(OPENING, directory, null, objects);
  }

  /** Opens a runtime with the time of a test. */
  public static ObjectRuntime open(
      Path directory, TimeSource time, Consumer<ObjectRegistrar> objects) {
    return OPENING == null
        ? Holdfast.open(directory, time, objects)
        : other(OPENING, directory, time, objects);
  }

  private static ObjectRuntime other(
      String opening,
      Path directory,
      @Nullable TimeSource time,
      Consumer<ObjectRegistrar> objects) {
    try {
      return (ObjectRuntime)
          Class.forName(opening)
              .getMethod("open", Path.class, TimeSource.class, Consumer.class)
              .invoke(null, directory, time, objects);
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new AssertionError(e);
      }
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
