package dev.holdfast.operate;

import dev.holdfast.launcher.Verb;
import dev.holdfast.operate.inspect.InspectCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A run of {@code ./holdfast inspect}.
 *
 * @param code the exit code
 * @param out what it printed
 * @param err what it complained about
 */
record CommandLineRun(int code, String out, String err) {

  static CommandLineRun inspect(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    ByteArrayOutputStream complained = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
    try {
      int code = Verb.run(new InspectCommand(), arguments);
      return new CommandLineRun(
          code,
          printed.toString(StandardCharsets.UTF_8),
          complained.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
