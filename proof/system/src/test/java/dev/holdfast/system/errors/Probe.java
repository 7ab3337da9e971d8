package dev.holdfast.system.errors;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An object that runs code of the test. */
public interface Probe {

  /** The namespace of {@link #open}. */
  String NAMESPACE = "probes";

  /** {@return the result of the test's code} */
  @Nullable Object run(@Nullable Object argument);

  /** Code of a test. */
  @FunctionalInterface
  interface Body {

    /** Runs inside the object. */
    @Nullable Object run(ObjectContext context, @Nullable Object argument);
  }

  /** Opens a runtime whose probes run the given code of a test. */
  static ObjectRuntime open(Path directory, Body body) {
    return Holdfast.open(
        directory,
        objects ->
            objects.namespace(
                NAMESPACE, Probe.class, context -> argument -> body.run(context, argument)));
  }

  /** {@return a probe} */
  static Probe in(ObjectRuntime runtime) {
    return runtime.namespace(NAMESPACE, Probe.class).getByName("one");
  }
}
