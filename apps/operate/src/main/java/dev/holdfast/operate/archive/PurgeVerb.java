package dev.holdfast.operate.archive;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code archive purge}. Populated by the command line library. */
@Command(
    name = "purge",
    description = {
      "Deletes every moment before now from the archive of a running process, so that what was"
          + " purged from the history of objects is in no entry of it.",
      "Exit code 0: it is deleted; 1: it is not, and the text says why."
    },
    footer = {"", "Example: ./holdfast archive purge --yes --data data/api"})
final class PurgeVerb implements Callable<Integer> {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Prints this text.")
  @SuppressWarnings("UnusedVariable") // read by the command line library
  private boolean help;

  @Option(names = "--yes", description = "Does it.")
  private boolean yes;

  @Mixin private @Nullable DataDirectory data;
  @Mixin private @Nullable Output output;

  @Override
  public Integer call() throws IOException {
    if (data == null || output == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    if (!yes) {
      throw new WrongInputException(
          "archive purge deletes every moment before now from the archive; add --yes if that is"
              + " what you want");
    }
    OperatorConnection running = connect(data.path());
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    running.perform(OperatorRequest.of("archive-purge"), answer::putAll);
    if (output.isJson()) {
      output.printJson(answer);
    } else {
      output.out().printf("The archive begins with position %s now%n", answer.get("firstPosition"));
      output.out().flush();
    }
    return 0;
  }

  private static OperatorConnection connect(Path data) throws IOException {
    return OperatorConnection.find(data)
        .orElseThrow(
            () ->
                new RunFailedException(
                    "No process that listens has "
                        + data
                        + " open. Start the application with RuntimeOptions.withOperatorSocket():"
                        + " its runtime owns the archive"));
  }
}
