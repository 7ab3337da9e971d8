package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** The object that a verb is about. Populated by the command line library. */
final class ObjectArgument {

  @Parameters(index = "0", paramLabel = "NAMESPACE", description = "The namespace of the object.")
  private @Nullable String namespace;

  @Parameters(
      index = "1",
      paramLabel = "OBJECT",
      description = "The name of the object, or its id of 64 hexadecimal digits.")
  private @Nullable String object;

  /** {@return a request about the object} */
  OperatorRequest request(String verb) {
    return OperatorRequest.of(verb).with("namespace", namespace).with("object", object);
  }
}
