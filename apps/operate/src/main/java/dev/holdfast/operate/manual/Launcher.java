package dev.holdfast.operate.manual;

import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.archive.ArchiveCommand;
import dev.holdfast.operate.backup.BackupCommand;
import dev.holdfast.operate.console.ConsoleCommand;
import dev.holdfast.operate.inspect.InspectCommand;
import dev.holdfast.operate.restore.RestoreCommand;
import dev.holdfast.operate.verify.RepairCommand;
import dev.holdfast.operate.verify.VerifyCommand;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code holdfast} with its verbs. */
final class Launcher {

  private static final String DESCRIPTION =
      "Durable objects for the JVM: the verbs for operators of a data directory.";

  /** Verbs of other modules, which this one does not know the options of. */
  private static final List<String> OTHER_VERBS =
      List.of(
          "demo",
          "crash-test",
          "cluster",
          "conformance",
          "serve",
          "zone",
          "token",
          "bench",
          "help");

  private Launcher() {}

  /** {@return the command with the verbs whose options are known here} */
  static CommandLine verbs() {
    CommandSpec spec = CommandSpec.create().name("holdfast");
    spec.usageMessage().description(DESCRIPTION).synopsisSubcommandLabel("VERB");
    CommandLine launcher = new CommandLine(spec);
    for (Object command :
        List.of(
            new InspectCommand(),
            new BackupCommand(),
            new ConsoleCommand(),
            new ArchiveCommand(),
            new RestoreCommand(),
            new VerifyCommand(),
            new RepairCommand(),
            new CompletionCommand(),
            new ManualCommand())) {
      launcher.addSubcommand(Verb.commandLine(command));
    }
    return launcher;
  }

  /** {@return the command with all verbs; verbs of other modules have no options} */
  static CommandLine allVerbs() {
    CommandLine launcher = verbs();
    for (String verb : OTHER_VERBS) {
      launcher.addSubcommand(new CommandLine(CommandSpec.create().name(verb)));
    }
    return launcher;
  }
}
