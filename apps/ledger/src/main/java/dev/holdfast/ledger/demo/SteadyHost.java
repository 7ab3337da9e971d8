package dev.holdfast.ledger.demo;

import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.launcher.process.EndRequest;
import dev.holdfast.launcher.process.ParentPipe;
import dev.holdfast.ledger.Ledger;
import dev.holdfast.ledger.Transfer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The process that the console shows: opens the ledger with an operator's socket and makes one
 * transfer after the other, the file again and again, until it is killed or asked to end. It prints
 * a line when it is open, and one after each answer.
 */
final class SteadyHost {

  private SteadyHost() {}

  /**
   * The child's main method.
   *
   * @param arguments the directory of the ledger, the CSV file, the number of the first transfer,
   *     the milliseconds between two
   * @throws Exception if a call fails
   */
  public static void main(String[] arguments) throws Exception {
    try (EndRequest end = EndRequest.expect()) {
      ParentPipe parent = new ParentPipe();
      parent.listen(_ -> end.asked().countDown());
      TransferFile file = TransferFile.read(Path.of(arguments[1]));
      try (Ledger ledger =
          Ledger.on(
              Holdfast.open(
                  Path.of(arguments[0]),
                  objects -> {
                    objects.options(RuntimeOptions.DEFAULT.withOperatorSocket());
                    Ledger.register(objects);
                  }))) {
        file.accounts().forEach(number -> ledger.account(number).deliverPending());
        parent.say("open");
        long number = Long.parseLong(arguments[2]);
        while (!end.asked().await(Long.parseLong(arguments[3]), TimeUnit.MILLISECONDS)) {
          Transfer transfer = transfer(file.transfers(), number++);
          ledger.account(transfer.from()).send(transfer);
          parent.say("answered");
        }
      }
    }
  }

  /** A later round has other ids: a transfer takes effect once. */
  private static Transfer transfer(List<Transfer> of, long number) {
    Transfer each = of.get((int) (number % of.size()));
    return new Transfer(each.id() + "/" + number / of.size(), each.from(), each.to(), each.cents());
  }
}
