package dev.holdfast.system.errors;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** An object that runs a piece of the test as its own code. */
public interface Probe {

  /** The namespace of {@link #open}. */
  String NAMESPACE = "probes";

  /** {@return what the piece of the test returns} */
  @Nullable Object run(@Nullable Object argument);

  /** A piece of a test. */
  @FunctionalInterface
  interface Body {

    /** Runs inside the object. */
    @Nullable Object run(ObjectContext context, @Nullable Object argument);
  }

  /** Opens a runtime whose probes run one piece of a test. */
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
