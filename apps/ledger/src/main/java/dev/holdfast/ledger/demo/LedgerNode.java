package dev.holdfast.ledger.demo;

import dev.holdfast.HoldfastException;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.ShardStatus;
import dev.holdfast.launcher.process.ParentPipe;
import dev.holdfast.ledger.Ledger;
import dev.holdfast.ledger.Outcome;
import dev.holdfast.ledger.Transfer;
import dev.holdfast.nodes.NodePlace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * A node of the ledger's cluster, in a separate process. It does what its parent says: {@code send
 * INDEX}, {@code shards}, {@code settle}, {@code audit FILE}, {@code close}.
 */
final class LedgerNode {

  private static final Duration READY = Duration.ofMinutes(2);

  private final ParentPipe parent;
  private final TransferFile file;
  private final ClusterRuntime runtime;
  private final Ledger ledger;
  private final CountDownLatch closing = new CountDownLatch(1);

  private LedgerNode(ParentPipe parent, TransferFile file, ClusterRuntime runtime) {
    this.parent = parent;
    this.file = file;
    this.runtime = runtime;
    this.ledger = Ledger.on(runtime);
  }

  /**
   * The child's main method.
   *
   * @param arguments the place of the node, and the CSV file
   * @throws Exception if the node cannot be opened
   */
  public static void main(String[] arguments) throws Exception {
    ParentPipe parent = new ParentPipe();
    NodePlace place = NodePlace.ofArguments(arguments);
    TransferFile file = TransferFile.read(Path.of(arguments[NodePlace.ARGUMENTS]));
    try (ClusterRuntime runtime =
        ClusterHoldfast.open(place.directory(), place.options(), Ledger::register)) {
      LedgerNode node = new LedgerNode(parent, file, runtime);
      parent.listen(node::take);
      if (runtime.awaitReady(READY)) {
        parent.say("ready");
      }
      node.closing.await();
    }
    parent.say("closed");
    Runtime.getRuntime().halt(0); // callers may still wait for a call of theirs
  }

  private void take(String line) {
    String[] words = line.split(" ", 2);
    switch (words[0]) {
      case "send" -> Thread.startVirtualThread(() -> send(Integer.parseInt(words[1])));
      case "shards" -> parent.say("shards " + shards());
      case "settle" -> Thread.startVirtualThread(this::settle);
      case "audit" -> Thread.startVirtualThread(() -> audit(Path.of(words[1])));
      case "close" -> closing.countDown();
      default -> throw new IllegalArgumentException(line);
    }
  }

  private void send(int index) {
    Transfer transfer = file.transfers().get(index);
    untilDone(
        () -> {
          Outcome outcome = ledger.account(transfer.from()).send(transfer);
          parent.say("answer " + index + " " + outcome);
        });
  }

  /** All may be repeated after every failure: the id of a transfer makes it take effect once. */
  private void untilDone(Runnable calls) {
    while (closing.getCount() > 0) {
      try {
        calls.run();
        return;
      } catch (HoldfastException e) {
        Thread.onSpinWait(); // no owner was found in time, or it was lost
      }
    }
  }

  private String shards() {
    return runtime.shards().stream().map(LedgerNode::text).collect(Collectors.joining(" "));
  }

  private static String text(ShardStatus shard) {
    return shard.shard()
        + ":"
        + (shard.owner() == null ? "?" : shard.owner())
        + ":"
        + shard.lastPosition();
  }

  private void settle() {
    file.accounts().forEach(number -> untilDone(() -> ledger.account(number).deliverPending()));
    parent.say("settled");
  }

  private void audit(Path answers) {
    Map<Transfer, Outcome> read = read(answers);
    untilDone(
        () -> {
          Audit.Findings found = Audit.of(ledger, file.accounts(), read);
          found.violations().forEach(each -> parent.say("broken " + each));
          parent.say("audited " + found.inFlightCount() + " " + found.totalCents());
        });
  }

  private Map<Transfer, Outcome> read(Path answers) {
    try {
      Map<Transfer, Outcome> read = new LinkedHashMap<>();
      for (String line : Files.readAllLines(answers)) {
        String[] words = line.split(" ", -1);
        read.put(file.transfers().get(Integer.parseInt(words[0])), Outcome.valueOf(words[1]));
      }
      return read;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
