package dev.holdfast.ledger.demo;

import dev.holdfast.launcher.Verb;
import dev.holdfast.launcher.WrongInputException;
import dev.holdfast.launcher.process.EndRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The verb {@code demo}. Created and populated by the command line library. */
@Command(
    name = "demo",
    sortOptions = false,
    description = "Runs transfers through a ledger, kills it midway and counts the money.")
public final class DemoCommand implements Callable<Integer> {

  @Option(
      names = "--file",
      paramLabel = "CSV",
      description = "Transfers, one id,from,to,amount per line; default: a sample of 20,000 lines.")
  private @Nullable Path file;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "${sys:holdfast.demo.data:-holdfast-demo}",
      description =
          "The directory of the ledger: new, empty or of an earlier demo; default:"
              + " ${DEFAULT-VALUE}.")
  private @Nullable Path data;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Chooses the moment of the kill; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "3 or 5: runs the ledger on this number of processes as one cluster, kills, pauses and"
              + " restarts them; default: ${DEFAULT-VALUE}.")
  private int nodes;

  @Option(
      names = "--console",
      description =
          "Leaves the ledger running with the console open on it, in a browser: transfers go on,"
              + " and the process that makes them is killed now and then, until Ctrl-C.")
  private boolean console;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "8788",
      description = "The port of the console; 0 for any free one; default: ${DEFAULT-VALUE}.")
  private int port;

  /** Creates the command; called by the command line library. */
  public DemoCommand() {}

  /**
   * Runs the verb and ends the process with its exit code.
   *
   * @param options the options of the verb
   */
  public static void main(String[] options) {
    Verb.main(new DemoCommand(), options);
  }

  @Override
  public Integer call() throws IOException {
    if (nodes != 1 && nodes != 3 && nodes != 5) {
      throw new WrongInputException("--nodes must be 1, 3 or 5, is " + nodes);
    }
    if (console && nodes != 1) {
      throw new WrongInputException("--console shows a ledger on one process; leave --nodes out");
    }
    if (port < 0 || port > 65_535) {
      throw new WrongInputException("--port is from 0 to 65535: " + port);
    }
    // The user's file is read first: an invalid file must not delete the ledger of an earlier demo.
    Optional<TransferFile> given = Optional.ofNullable(file).map(TransferFile::read);
    DemoDirectory directory = DemoDirectory.prepare(Optional.ofNullable(data).orElseThrow());
    TransferFile transfers = given.orElseGet(directory::sample);
    transfers.report(System.out);
    if (console) {
      try (EndRequest end = EndRequest.expect()) {
        ConsoleDemo.Pace pace = ConsoleDemo.Pace.calm(end.asked());
        new ConsoleDemo(directory, transfers, System.out, pace, end.asked()).run(port);
      }
      return 0;
    }
    boolean kept =
        nodes == 1
            ? new Demo(directory, transfers, System.out).run(seed)
            : new NodesDemo(directory, transfers, System.out).run(nodes, seed);
    return kept ? 0 : 1;
  }
}
