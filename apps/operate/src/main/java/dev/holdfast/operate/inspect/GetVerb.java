package dev.holdfast.operate.inspect;

import dev.holdfast.operator.OperatorRequest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The verb {@code inspect get}. Populated by the command line library. */
@Command(
    name = "get",
    description = "Shows the value of a key. A note says what JSON cannot express.",
    footer = {"", "Example: ./holdfast inspect get accounts alice balance --data data/demo"})
final class GetVerb extends InspectVerb.OfOne {

  @Mixin private @Nullable ObjectArgument object;
  @Mixin private PastVerb.@Nullable Moment moment;

  @Parameters(index = "2", paramLabel = "KEY", description = "The key.")
  private @Nullable String key;

  @Override
  OperatorRequest request() {
    return set(object).request("get").with("key", key).with("at", set(moment).text());
  }
}
