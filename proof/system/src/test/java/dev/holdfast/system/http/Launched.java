package dev.holdfast.system.http;

import dev.holdfast.examples.launcher.Main;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a verb of the launcher did, run in this process.
 *
 * @param exitCode its exit code
 * @param output what it printed
 * @param errors what it printed as errors
 */
record Launched(int exitCode, String output, String errors) {

  /** Runs a verb with a data directory. */
  static Launched on(Path directory, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", directory.toString()));
    return run(all.toArray(String[]::new));
  }

  static Launched run(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errors, true, StandardCharsets.UTF_8));
    try {
      int exitCode = Main.run(arguments);
      return new Launched(
          exitCode,
          output.toString(StandardCharsets.UTF_8).strip(),
          errors.toString(StandardCharsets.UTF_8).strip());
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }
}
