package dev.holdfast.operate.inspect;

import dev.holdfast.launcher.Verb;
import picocli.CommandLine.Command;

/** The verb {@code inspect}. Created and populated by the command line library. */
@Command(
    name = "inspect",
    description = "Looks into a data directory, without changing it.",
    synopsisSubcommandLabel = "VERB",
    subcommands = {
      ObjectsVerb.class,
      ObjectVerb.class,
      SizeVerb.class,
      GetVerb.class,
      ListVerb.class,
      SqlVerb.class,
      AlarmsVerb.class,
      AbandonedAlarmVerb.Rearm.class,
      AbandonedAlarmVerb.Discard.class,
      RuntimeVerb.Stats.class,
      HealthVerb.class,
      BusiestVerb.class,
      RuntimeVerb.Consumers.class,
      RuntimeVerb.Jobs.class,
      ExecutionsVerb.class,
      JournalVerb.class,
      HistoryVerb.class,
      DiffVerb.class,
      ChangedVerb.class,
      ExportVerb.class,
      ExportAllVerb.class,
      ImportVerb.class,
      ForkVerb.class,
      RestoreVerb.class,
      RestoreObjectsVerb.class,
      WithdrawVerb.class,
      DeleteVerb.class,
      ResetVerb.class,
      EvictVerb.class,
      TopVerb.class
    })
public final class InspectCommand {

  /** Creates the command; called by the command line library. */
  public InspectCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new InspectCommand(), options);
  }
}
