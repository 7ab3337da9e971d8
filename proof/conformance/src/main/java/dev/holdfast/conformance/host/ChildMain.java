package dev.holdfast.conformance.host;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.process.ParentPipe;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The process of a {@link ChildHost}: answers each step, which is a line with the start time of the
 * case and the JSON, with a line, and closes on SIGTERM.
 */
final class ChildMain {

  /** The first line, when the runtime is open. */
  static final String READY = "ready";

  private static final String OBJECT = "case";

  private ChildMain() {}

  /**
   * Runs until the input ends or the process is killed.
   *
   * @param arguments the data directory and the engine
   * @throws IOException if a step is not JSON
   */
  public static void main(String[] arguments) throws IOException {
    StorageEngine engine = StorageEngine.valueOf(arguments[1]);
    ObjectRuntime runtime = Holdfast.open(Path.of(arguments[0]), RuntimeHost::register);
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(runtime::close));
    CaseHost host = new RuntimeHost(runtime, engine, OBJECT);
    ParentPipe parent = new ParentPipe();
    parent.say(READY);
    JsonMapper json = new JsonMapper();
    BufferedReader steps =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = steps.readLine(); line != null; line = steps.readLine()) {
      int end = line.indexOf(' ');
      long startMillis = Long.parseLong(line.substring(0, end));
      parent.say(host.step(json.readTree(line.substring(end)), startMillis).toString());
    }
    // The parent no longer reads.
    Runtime.getRuntime().halt(1);
  }
}
