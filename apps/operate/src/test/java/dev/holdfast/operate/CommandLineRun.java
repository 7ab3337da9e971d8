package dev.holdfast.operate;

import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.archive.ArchiveCommand;
import dev.holdfast.operate.backup.BackupCommand;
import dev.holdfast.operate.inspect.InspectCommand;
import dev.holdfast.operate.restore.RestoreCommand;
import dev.holdfast.operate.verify.RepairCommand;
import dev.holdfast.operate.verify.VerifyCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A run of {@code ./holdfast} with a verb for operators.
 *
 * @param code the exit code
 * @param out what it printed
 * @param err what it complained about
 */
record CommandLineRun(int code, String out, String err) {

  static CommandLineRun inspect(String... arguments) {
    return of("inspect", arguments);
  }

  static CommandLineRun of(String verb, String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
    try {
      int code = Verb.run(command(verb), arguments);
      return new CommandLineRun(
          code,
          printed.toString(StandardCharsets.UTF_8),
          complained.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static Object command(String verb) {
    return switch (verb) {
      case "archive" -> new ArchiveCommand();
      case "backup" -> new BackupCommand();
      case "inspect" -> new InspectCommand();
      case "repair" -> new RepairCommand();
      case "restore" -> new RestoreCommand();
      case "verify" -> new VerifyCommand();
      default -> throw new IllegalArgumentException(verb);
    };
  }
}
