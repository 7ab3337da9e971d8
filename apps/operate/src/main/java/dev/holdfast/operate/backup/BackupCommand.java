package dev.holdfast.operate.backup;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.StoppedNode;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.DataDirectory;
import dev.holdfast.operate.Output;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.recovery.Backup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The verb {@code backup}. Created and populated by the command line library. */
@Command(
    name = "backup",
    description = {
      "Copies a data directory, or the directory of a stopped node of a cluster, into another"
          + " directory. A running process is asked through its operator's socket and goes on; a"
          + " node that runs copies all shards of its cluster. A stopped directory is not changed."
          + " A backup of a data directory that was interrupted continues.",
      "Exit code 0: the backup is complete; 1: it was not made.",
      "Example: ./holdfast backup --data data/api --to /mnt/backup/api"
    })
public final class BackupCommand implements Callable<Integer> {

  @Mixin private @Nullable DataDirectory data;

  @Option(
      names = "--to",
      paramLabel = "DIR2",
      required = true,
      description = "The backup: an empty directory, or one with an earlier backup.")
  private @Nullable Path target;

  @Mixin private @Nullable Output output;

  /** Creates the command; called by the command line library. */
  public BackupCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new BackupCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    if (data == null || target == null || output == null) {
      throw new IllegalStateException("The command line library has not set the options.");
    }
    Map<String, @Nullable Object> backup = backUp(data.path(), target.toAbsolutePath());
    if (output.isJson()) {
      output.printJson(backup);
    } else {
      output
          .out()
          .printf(
              "Backup of position %s in %s: %s files, %s bytes copied, %s kept%n",
              backup.get("position"),
              backup.get("directory"),
              backup.get("files"),
              backup.get("bytesCopied"),
              backup.get("bytesKept"));
      output.out().flush();
    }
    return 0;
  }

  private static Map<String, @Nullable Object> backUp(Path data, Path target) throws IOException {
    Optional<OperatorConnection> running = OperatorConnection.find(data);
    if (running.isPresent()) {
      return ask(running.get(), target);
    }
    try {
      return members(
          StoppedNode.isNode(data)
              ? ClusterHoldfast.backup(data, target)
              : Holdfast.backup(data, target));
    } catch (DirectoryInUseException e) {
      throw new RunFailedException(
          data
              + " is running, started without an operator's socket. Stop the process, or open its"
              + " runtime with RuntimeOptions.withOperatorSocket()");
    }
  }

  private static Map<String, @Nullable Object> ask(OperatorConnection running, Path target) {
    Map<String, @Nullable Object> backup = new LinkedHashMap<>();
    running.perform(OperatorRequest.of("backup").with("to", target.toString()), backup::putAll);
    return backup;
  }

  private static Map<String, @Nullable Object> members(Backup backup) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    members.put("directory", backup.directory().toString());
    members.put("position", backup.position());
    members.put("time", backup.time().toString());
    members.put("files", backup.files());
    members.put("bytesCopied", backup.bytesCopied());
    members.put("bytesKept", backup.bytesKept());
    return members;
  }
}
