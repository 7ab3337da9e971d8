package dev.holdfast.crash.nodes;

import dev.holdfast.launcher.RunFailedException;
import dev.holdfast.spi.disk.FileDisk;
import dev.holdfast.spi.disk.FileTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Changes which nodes the cluster has, or takes their directories, while callers call: as an
 * operator does it, which repeats what is refused. Owned by one thread.
 */
final class MemberDisturbances {

  /** Between two tries to change the members. */
  private static final Duration CHANGE_PAUSE = Duration.ofSeconds(1);

  /** Of three members, as many must be left: another one is added before one is removed. */
  private static final int MEMBERS_MIN = 3;

  private static final int LETTERS = 26;

  private final Path directory;
  private final List<String> names;
  private final Callers callers;
  private final Promises promises;
  private final DrivenNodes nodes;
  private final Network network;

  /** How many names were given to nodes: the name of one that was removed never comes back. */
  private int namesGiven;

  private int replacements;
  private int joined;
  private int left;
  private int disksLost;

  /**
   * @param directory has the directories of the nodes
   * @param names the members; they change
   */
  MemberDisturbances(
      Path directory,
      List<String> names,
      Callers callers,
      Promises promises,
      DrivenNodes nodes,
      Network network) {
    this.directory = directory;
    this.names = names;
    this.callers = callers;
    this.promises = promises;
    this.nodes = nodes;
    this.network = network;
    this.namesGiven = names.size();
  }

  /** {@return a, b and so on, then a1, b1 and so on} */
  static String name(int index) {
    String letter = String.valueOf((char) ('a' + index % LETTERS));
    int round = index / LETTERS;
    return round == 0 ? letter : letter + round;
  }

  /** {@return whether there is no address for another node} */
  boolean isFull() {
    return namesGiven == Network.NODES_MAX;
  }

  int replacements() {
    return replacements;
  }

  /** {@return what has happened if there are more nodes than copies} */
  String counts() {
    return "%,d replacements, %,d nodes joined, %,d left, %,d disks lost"
        .formatted(replacements, joined, left, disksLost);
  }

  /**
   * The machine of the first node is lost, with its disk. Another one takes its place.
   *
   * @param isRemovedFirst whether the lost node is removed before the other one is added
   */
  void replace(List<String> order, Duration duration, boolean isRemovedFirst) throws IOException {
    String lost = order.getFirst();
    List<String> asked = order.subList(1, order.size());
    long begun = System.nanoTime();
    kill(lost);
    names.remove(lost);
    lose(lost);
    nodes.work(duration);
    String added = startNext();
    boolean mayRemove = isRemovedFirst && names.size() >= MEMBERS_MIN;
    List<String> changes = List.of("add " + member(added), "remove " + lost);
    (mayRemove ? changes.reversed() : changes).forEach(change -> change(asked, change));
    if (!promises.violations().isEmpty()) {
      return;
    }
    nodes.local().forget(lost);
    names.add(added);
    replacements++;
    nodes.say("node %s has replaced node %s, after %s".formatted(added, lost, since(begun)));
  }

  /** A fresh node is added. */
  void join(List<String> asked) throws IOException {
    long begun = System.nanoTime();
    String added = startNext();
    change(asked, "add " + member(added));
    if (promises.violations().isEmpty()) {
      names.add(added);
      joined++;
      nodes.say("node %s has joined, after %s".formatted(added, since(begun)));
    }
  }

  /**
   * The first node is removed.
   *
   * @param isLost whether it is killed before, and its directory is lost
   */
  void leave(List<String> order, Duration duration, boolean isLost) throws IOException {
    String gone = order.getFirst();
    long begun = System.nanoTime();
    if (isLost) {
      kill(gone);
      names.remove(gone);
      lose(gone);
      nodes.work(duration);
    }
    change(order.subList(1, order.size()), "remove " + gone);
    if (!isLost) {
      kill(gone);
      names.remove(gone);
      lose(gone);
    }
    nodes.local().forget(gone);
    left++;
    nodes.say("node %s has left, after %s".formatted(gone, since(begun)));
  }

  /** The first node loses its directory, and comes back under its name. */
  void loseDisk(List<String> order, Duration duration) throws IOException {
    String lost = order.getFirst();
    long begun = System.nanoTime();
    kill(lost);
    FileTree.delete(new FileDisk(), directory.resolve(lost));
    nodes.work(duration);
    nodes.local().start(lost);
    change(order.subList(1, order.size()), "replace " + member(lost));
    nodes.workUntil("node " + lost + " is ready", () -> nodes.ready().contains(lost));
    disksLost++;
    nodes.say("node %s has come back, after %s".formatted(lost, since(begun)));
  }

  private void kill(String name) {
    nodes.kill(name);
    nodes.ready().remove(name);
    callers.giveUp(name);
  }

  private void lose(String name) throws IOException {
    network.leave(name);
    FileTree.delete(new FileDisk(), directory.resolve(name));
  }

  private String startNext() throws IOException {
    String added = name(namesGiven);
    namesGiven++;
    network.join(added);
    nodes.local().prepareWaiting(added, Network.address(added));
    nodes.local().start(added);
    callers.join(added);
    nodes.workUntil("node " + added + " is open", () -> nodes.isOpen(added));
    return added;
  }

  private static String member(String name) {
    return name + "=" + Network.address(name);
  }

  private static String since(long begunNanos) {
    return "%.1f s".formatted((System.nanoTime() - begunNanos) / 1e9);
  }

  /**
   * While a shard has no owner, a change fails; all that it has done is kept when it is repeated.
   *
   * @param asked the nodes that are asked, one after the other
   */
  void change(List<String> asked, String change) {
    long endNanos = System.nanoTime() + NodesCrashTest.READY_MAX.toNanos();
    for (int tries = 0; promises.violations().isEmpty(); tries++) {
      String answer = nodes.answerTo(asked.get(tries % asked.size()), change);
      if (answer.equals("changed")) {
        return;
      }
      nodes.say(change + " is " + answer);
      if (System.nanoTime() > endNanos) {
        throw new RunFailedException(
            "It was tried for %s to %s; at last it was %s"
                .formatted(NodesCrashTest.READY_MAX, change, answer));
      }
      nodes.work(CHANGE_PAUSE);
    }
  }
}
