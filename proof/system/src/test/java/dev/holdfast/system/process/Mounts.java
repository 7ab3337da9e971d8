package dev.holdfast.system.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Small file systems for one process each. The mount is in a name space of the process and ends
 * with it, so nothing remains, and no privileges are needed where users may create name spaces.
 */
public final class Mounts {

  private Mounts() {}

  /**
   * Returns a command prefix that runs the rest of the command with a small file system in memory
   * on a directory.
   *
   * @param options the options of mount, such as {@code size=4m} @param directory the mount point
   */
  public static List<String> small(String options, Path directory) {
    return small(options, directory, "true");
  }

  /**
   * The same, after a preparation.
   *
   * @param options of mount
   * @param directory where; {@code $1} of the script
   * @param prepare a shell command that runs after the mount
   */
  public static List<String> small(String options, Path directory, String prepare) {
    String script =
        "mount -t tmpfs -o \"$0\" holdfast-test \"$1\" && " + prepare + " && shift && exec \"$@\"";
    return List.of("unshare", "-rm", "sh", "-c", script, options, directory.toString());
  }

  /** Skips a test if the user may not mount. */
  public static void assumePossible(List<String> wrapper) {
    List<String> command = new ArrayList<>(wrapper);
    command.add("true");
    assumeTrue(succeeds(command), () -> "mounting is not allowed here: " + command);
  }

  private static boolean succeeds(List<String> command) {
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false; // the program does not exist, as on systems other than Linux
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
