package dev.holdfast.system.mistakes;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.system.mistakes.Host.Probe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A process that may not load native code; it writes an object, and prints the text of the failure.
 */
final class NativeProcess {

  private NativeProcess() {}

  /** The main method of the process. */
  public static void main(String[] arguments) throws Exception {
    StorageKind kind = StorageKind.of(arguments[1]);
    try (ObjectRuntime runtime =
        Holdfast.open(
            Path.of(arguments[0]),
            objects ->
                objects.namespace(
                    "carts",
                    Probe.class,
                    context ->
                        argument -> {
                          context.storage().put("key", "value");
                          return argument;
                        },
                    NamespaceOptions.DEFAULT.withStorage(kind)))) {
      runtime.namespace("carts", Probe.class).getByName("one").run(null);
      System.out.println("written");
    } catch (RuntimeException | Error e) {
      System.out.println(FailureText.of(e));
    }
  }

  /** {@return what the process prints} */
  static String run(Path directory, StorageKind kind) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "--illegal-native-access=deny",
                    "-Djava.util.logging.config.file=/dev/null",
                    "-cp",
                    System.getProperty("java.class.path"),
                    NativeProcess.class.getName(),
                    directory.toString(),
                    kind.name()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return printed.strip();
  }
}
