package dev.holdfast.ledger.demo;

import dev.holdfast.launcher.process.ParentPipe;
import dev.holdfast.ledger.Ledger;
import dev.holdfast.ledger.Outcome;
import dev.holdfast.ledger.Transfer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The process that is killed: opens the ledger and runs every transfer of the file, many at a time.
 * It prints the index of a transfer, its outcome and the duration of the call, only after the call
 * has returned.
 */
final class LedgerHost {

  private final Ledger ledger;
  private final List<Transfer> transfers;
  private final ParentPipe parent;
  private final AtomicInteger next = new AtomicInteger();

  private LedgerHost(Ledger ledger, List<Transfer> transfers, ParentPipe parent) {
    this.ledger = ledger;
    this.transfers = transfers;
    this.parent = parent;
  }

  /**
   * The child's main method.
   *
   * @param arguments the directory of the ledger, the CSV file, the number of concurrent callers
   * @throws Exception if a call fails
   */
  public static void main(String[] arguments) throws Exception {
    ParentPipe parent = new ParentPipe();
    parent.listen(line -> {});
    TransferFile file = TransferFile.read(Path.of(arguments[1]));
    try (Ledger ledger = Ledger.open(Path.of(arguments[0]))) {
      file.accounts().forEach(number -> ledger.account(number).deliverPending());
      new LedgerHost(ledger, file.transfers(), parent).run(Integer.parseInt(arguments[2]));
    }
  }

  private void run(int callerCount) throws Exception {
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<?> caller : callers.invokeAll(Collections.nCopies(callerCount, this::call))) {
        caller.get();
      }
    }
  }

  private @Nullable Void call() {
    for (int index = next.getAndIncrement();
        index < transfers.size();
        index = next.getAndIncrement()) {
      Transfer transfer = transfers.get(index);
      long beginNanos = System.nanoTime();
      Outcome outcome = ledger.account(transfer.from()).send(transfer);
      parent.say(new Answer(index, outcome, System.nanoTime() - beginNanos).toLine());
    }
    return null;
  }

  /**
   * The answer that a caller received.
   *
   * @param index the index of the transfer in the file, from 0
   * @param outcome the answer
   * @param latencyNanos from the call to the answer
   */
  record Answer(int index, Outcome outcome, long latencyNanos) {

    String toLine() {
      return index + " " + outcome + " " + latencyNanos;
    }

    static Answer ofLine(String line) {
      String[] words = line.split(" ", -1);
      return new Answer(
          Integer.parseInt(words[0]), Outcome.valueOf(words[1]), Long.parseLong(words[2]));
    }
  }
}
