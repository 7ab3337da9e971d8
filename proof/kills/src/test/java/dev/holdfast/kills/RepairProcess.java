package dev.holdfast.kills;

import dev.holdfast.verify.Repair;
import java.io.IOException;
import java.nio.file.Path;

/** A process that repairs a copy of a data directory, and is killed meanwhile. */
final class RepairProcess {

  private RepairProcess() {}

  /** Takes the data directory, the copy and a directory for scratch files. */
  public static void main(String[] arguments) throws IOException {
    System.out.println("begin");
    Repair.into(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]));
    System.out.println("end");
  }
}
