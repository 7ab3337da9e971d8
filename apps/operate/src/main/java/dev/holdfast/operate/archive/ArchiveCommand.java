package dev.holdfast.operate.archive;

import dev.holdfast.launcher.Verb;
import picocli.CommandLine.Command;

/** The verb {@code archive}. Created and populated by the command line library. */
@Command(
    name = "archive",
    description = "Changes the archive of a running process.",
    synopsisSubcommandLabel = "VERB",
    subcommands = PurgeVerb.class)
public final class ArchiveCommand {

  /** Creates the command; called by the command line library. */
  public ArchiveCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new ArchiveCommand(), options);
  }
}
