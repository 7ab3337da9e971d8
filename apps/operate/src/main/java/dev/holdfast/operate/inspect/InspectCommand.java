package dev.holdfast.operate.inspect;

import dev.holdfast.launcher.Verb;
import picocli.CommandLine.Command;

/** The verb {@code inspect}. Created and populated by the command line library. */
@Command(
    name = "inspect",
    description = "Looks into a data directory, without changing it.",
    synopsisSubcommandLabel = "VERB",
    subcommands = {
      RuntimeVerb.Namespaces.class,
      ObjectsVerb.class,
      ObjectVerb.class,
      OneObjectVerb.Size.class,
      GetVerb.class,
      ListVerb.class,
      SqlVerb.class,
      TableVerb.class,
      AlarmsVerb.class,
      AlarmChangeVerb.Rearm.class,
      AlarmChangeVerb.Discard.class,
      AlarmChangeVerb.Arm.class,
      AlarmChangeVerb.Cancel.class,
      RuntimeVerb.Stats.class,
      HealthVerb.class,
      RuntimeVerb.Busiest.class,
      ConsumerVerb.Consumers.class,
      ConsumerVerb.Reset.class,
      ConsumerVerb.Remove.class,
      RuntimeVerb.Jobs.class,
      ExecutionsVerb.class,
      JournalVerb.class,
      PastVerb.Commit.class,
      PastVerb.Writers.class,
      HistoryVerb.class,
      PastVerb.Timeline.class,
      DiffVerb.class,
      ChangedVerb.class,
      ExportVerb.class,
      ExportAllVerb.class,
      ImportVerb.class,
      ForkVerb.class,
      RestoreVerb.class,
      RestoreObjectsVerb.class,
      OneObjectVerb.Withdraw.class,
      ChangeVerb.Put.class,
      ChangeVerb.Remove.class,
      ChangeVerb.Exec.class,
      ChangeVerb.Delete.class,
      ChangeVerb.Purge.class,
      ChangeVerb.Reset.class,
      OneObjectVerb.Evict.class,
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
