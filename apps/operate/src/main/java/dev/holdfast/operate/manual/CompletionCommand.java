package dev.holdfast.operate.manual;

import dev.holdfast.launcher.Verb;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The verb {@code completion}. Created and populated by the command line library. */
@Command(
    name = "completion",
    description = {
      "Prints a script for bash that completes verbs, options and files.",
      "Example: source <(./holdfast completion)"
    })
public final class CompletionCommand implements Callable<Integer> {

  @Spec private @Nullable CommandSpec spec;

  /** Creates the command; called by the command line library. */
  public CompletionCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new CompletionCommand(), options);
  }

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("The command line library has not set the verb.");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(AutoComplete.bash("holdfast", Launcher.allVerbs()));
    out.flush();
    return 0;
  }
}
