package dev.holdfast.kills;

import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;

/** A process that restores a data directory to a position, and is killed meanwhile. */
final class DirectoryRestoreProcess {

  private DirectoryRestoreProcess() {}

  /** Takes the data directory, the new directory and the position. */
  public static void main(String[] arguments) {
    System.out.println("begin");
    Holdfast.restore(
        Path.of(arguments[0]),
        Path.of(arguments[1]),
        RestoreRequest.of(new RestoreTarget.AtPosition(Long.parseLong(arguments[2]))));
    System.out.println("end");
  }
}
