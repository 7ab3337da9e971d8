package dev.holdfast.ledger.demo;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.ledger.Ledger;
import dev.holdfast.ledger.Outcome;
import dev.holdfast.ledger.Transfer;
import dev.holdfast.ledger.demo.LedgerHost.Answer;
import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The demonstration, step by step: run, kill, reopen, count, run to the end, count.
 *
 * <p>This process executes no transfers. It starts the process that does, records the answers that
 * its callers receive, and compares them with the contents of the directory afterwards. Owned by
 * one thread.
 */
final class Demo {

  private static final int CALLER_COUNT = 64;
  private static final int VIOLATIONS_SHOWN = 20;

  /** Far longer than any step may take: a child that is silent for this long hangs. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(60);

  private final DemoDirectory directory;
  private final TransferFile file;
  private final PrintStream out;
  private final Map<Transfer, Outcome> answers = new LinkedHashMap<>();
  private final Figures figures = new Figures();
  private int contradictionCount;

  Demo(DemoDirectory directory, TransferFile file, PrintStream out) {
    this.directory = directory;
    this.file = file;
    this.out = out;
  }

  /**
   * Runs the demonstration.
   *
   * @param seed chooses the moment of the kill
   * @return whether every promise was kept
   */
  boolean run(long seed) {
    double share = new SplittableRandom(seed).nextDouble(0.4, 0.6);
    runUntilKilled((int) Math.ceil(file.transfers().size() * share));
    boolean kept = auditAfterKill();
    if (kept) {
      runToTheEnd();
      kept = auditAtTheEnd();
    }
    figures.print(out, directory, answers);
    out.println(kept ? "All promises were kept." : "PROMISES WERE BROKEN, see above.");
    return kept;
  }

  private void runUntilKilled(int killAt) {
    try (ChildJvm host = start()) {
      out.printf(
          "1. Process %d runs them, %d callers at once. It will be killed.%n",
          host.pid(), CALLER_COUNT);
      Progress progress = new Progress(out, file.transfers().size());
      while (answers.size() < killAt && !host.ended()) {
        host.nextLine(SILENCE_MAX).ifPresent(line -> record(line, progress));
      }
      host.kill();
      while (!host.ended()) {
        host.nextLine(SILENCE_MAX).ifPresent(line -> record(line, progress));
      }
      if (host.wasKilled()) {
        out.printf(
            "   SIGKILL for process %d after %,d answers, in the middle of its work.%n%n",
            host.pid(), answers.size());
      } else if (host.exitCode() == 0) {
        out.printf("   It finished before it could be killed: the file is too short.%n%n");
      } else {
        throw new RunFailedException(
            "Process " + host.pid() + " failed, exit code " + host.exitCode() + ".");
      }
    }
  }

  private boolean auditAfterKill() {
    long beginNanos = System.nanoTime();
    try (Ledger ledger = Ledger.open(directory.ledger())) {
      figures.recovered(System.nanoTime() - beginNanos);
      out.printf("2. Opened what it has left: recovered in %,d ms.%n", figures.recoveryMillis());
      Audit.Findings found = Audit.of(ledger, file.accounts(), answers);
      report(found);
      out.printf(
          "   %,d transfers (%s) were between two accounts when the process died.%n%n",
          found.inFlightCount(), units(found.inFlightCents()));
      return found.violations().isEmpty();
    }
  }

  private void runToTheEnd() {
    try (ChildJvm host = start()) {
      out.printf(
          "3. Process %d runs the whole file once more; what was answered must not change.%n",
          host.pid());
      Progress progress = new Progress(out, file.transfers().size());
      while (!host.ended()) {
        host.nextLine(SILENCE_MAX).ifPresent(line -> record(line, progress));
      }
      if (host.exitCode() != 0) {
        throw new RunFailedException(
            "Process " + host.pid() + " failed, exit code " + host.exitCode() + ".");
      }
      out.println();
    }
  }

  private boolean auditAtTheEnd() {
    try (Ledger ledger = Ledger.open(directory.ledger())) {
      out.println("4. Opened once more, to count.");
      Audit.Findings found = Audit.of(ledger, file.accounts(), answers);
      report(found);
      boolean complete = answers.size() == file.transfers().size() && found.inFlightCount() == 0;
      if (!complete) {
        out.printf("   INCOMPLETE: %,d answers only.%n", answers.size());
      }
      if (contradictionCount > 0) {
        out.printf("   %,d ANSWERS CHANGED in the second run.%n", contradictionCount);
      }
      out.println();
      return found.violations().isEmpty() && complete && contradictionCount == 0;
    }
  }

  private void record(String line, Progress progress) {
    Answer answer = Answer.ofLine(line);
    Transfer transfer = file.transfers().get(answer.index());
    Outcome before = answers.putIfAbsent(transfer, answer.outcome());
    if (before == null) {
      figures.answered(answer.latencyNanos());
    } else if (before != answer.outcome()) {
      contradictionCount++;
    }
    progress.answered();
  }

  private void report(Audit.Findings found) {
    List<String> violations = found.violations();
    if (violations.isEmpty()) {
      out.printf("   All %,d answered transfers are present, none twice.%n", answers.size());
      out.printf("   All money together: %s, as in the beginning.%n", units(found.totalCents()));
    } else {
      violations.stream()
          .limit(VIOLATIONS_SHOWN)
          .forEach(each -> out.println("   BROKEN: " + each));
      out.printf("   %,d promises broken.%n", violations.size());
    }
  }

  private ChildJvm start() {
    figures.started();
    return ChildJvm.start(
        LedgerHost.class,
        List.of(
            directory.ledger().toString(),
            file.path().toAbsolutePath().toString(),
            String.valueOf(CALLER_COUNT)));
  }

  private static String units(long cents) {
    return "%,d.%02d".formatted(cents / 100, cents % 100);
  }
}
