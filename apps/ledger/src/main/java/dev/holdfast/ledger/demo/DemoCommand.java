package dev.holdfast.ledger.demo;

import dev.holdfast.launcher.Verb;
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
  public Integer call() {
    // The user's file is read first: an invalid file must not delete the ledger of an earlier demo.
    Optional<TransferFile> given = Optional.ofNullable(file).map(TransferFile::read);
    DemoDirectory directory = DemoDirectory.prepare(Optional.ofNullable(data).orElseThrow());
    TransferFile transfers = given.orElseGet(directory::sample);
    return new Demo(directory, transfers, System.out).run(seed) ? 0 : 1;
  }
}
