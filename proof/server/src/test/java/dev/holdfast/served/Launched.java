package dev.holdfast.served;

import dev.holdfast.launcher.Verb;
import dev.holdfast.server.ServeCommand;
import dev.holdfast.server.TokenCommand;
import dev.holdfast.server.ZoneCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The result of a verb of the launcher that was run in this process.
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
      int exitCode =
          Verb.run(verb(arguments[0]), Arrays.copyOfRange(arguments, 1, arguments.length));
      return new Launched(
          exitCode,
          output.toString(StandardCharsets.UTF_8).strip(),
          errors.toString(StandardCharsets.UTF_8).strip());
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
  }

  private static Object verb(String name) {
    return switch (name) {
      case "serve" -> new ServeCommand();
      case "zone" -> new ZoneCommand();
      case "token" -> new TokenCommand();
      default -> throw new IllegalArgumentException("no verb of the server: " + name);
    };
  }
}
