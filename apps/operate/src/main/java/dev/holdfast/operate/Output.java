package dev.holdfast.operate;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * How an answer is printed: for people, or as one JSON document for programs. Populated by the
 * command line library.
 */
public final class Output {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  @Option(names = "--json", description = "Prints one JSON document, for programs.")
  private boolean json;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec spec;

  /** Creates the option; called by the command line library. */
  public Output() {}

  /** {@return whether the answer is for programs} */
  public boolean isJson() {
    return json;
  }

  /** {@return where the verb prints} */
  public PrintWriter out() {
    if (spec == null) {
      throw new IllegalStateException("The command line library has not set the verb.");
    }
    return spec.commandLine().getOut();
  }

  /**
   * Prints the JSON document.
   *
   * @param document maps, lists, texts, numbers, booleans and null
   */
  public void printJson(@Nullable Object document) {
    out().println(JSON.writeValueAsString(document));
    out().flush();
  }
}
