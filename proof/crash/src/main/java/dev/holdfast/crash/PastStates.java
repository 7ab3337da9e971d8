package dev.holdfast.crash;

import dev.holdfast.BookmarkException;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Changes, restores and purges one object, across kills, and checks that each state that it
 * remembers is given or, before a purge, refused. What it has done, and what it is about to do, is
 * in a file beside the data directory: a kill leaves what was written to it.
 *
 * <p>Owned by one thread.
 */
final class PastStates {

  /** The number of the object in the plan; no cell has it. */
  static final int CELL = 1_000_000;

  private static final String NAME = "past";
  private static final int MOMENTS_MAX = 8;

  private final ObjectRuntime runtime;
  private final StepPlan plan;
  private final Path file;
  private final SplittableRandom random;
  private final Consumer<String> broken;

  private final List<Past.Mark> moments = new ArrayList<>();
  private final List<Past.Mark> purged = new ArrayList<>();

  /** Bookmarks of those that are not the state at the end of their purge. */
  private final Set<String> refused = new HashSet<>();

  /** The numbers of steps that the present state may have: of more than one after a kill. */
  private final Set<Long> seqs = new TreeSet<>(Set.of(0L));

  private long forks;

  /**
   * Reads what earlier processes have done.
   *
   * @param file beside the data directory
   * @param broken receives promises that were broken
   */
  PastStates(ObjectRuntime runtime, Workload workload, Path file, Consumer<String> broken) {
    this.runtime = runtime;
    this.plan = new StepPlan(workload.seed());
    this.file = file;
    this.broken = broken;
    List<String> lines = List.of();
    try {
      lines = Files.exists(file) ? Files.readAllLines(file) : lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lines.forEach(line -> take(line.split(" ", -1)));
    this.random = new SplittableRandom(workload.seed() + lines.size());
  }

  /**
   * <pre>
   * STEP              a step is about to be taken
   * PURGE             the history is about to be purged
   * PURGED            it is: what was before is refused
   * RESTORE seq       a state is about to be restored
   * AT seq bookmark   the present state
   * </pre>
   */
  private void take(String[] words) {
    switch (words[0]) {
      case "STEP" -> List.copyOf(seqs).forEach(seq -> seqs.add(seq + 1));
      case "RESTORE" -> seqs.add(Long.valueOf(words[1]));
      case "PURGE" -> {
        // Until it is answered, it is not known of any of them.
        purged.addAll(moments);
        moments.clear();
      }
      case "PURGED" ->
          purged.stream()
              .filter(each -> !seqs.contains(each.seq()))
              .forEach(each -> refused.add(each.bookmark()));
      case "AT" -> {
        seqs.clear();
        seqs.add(Long.valueOf(words[1]));
        moments.add(new Past.Mark(Long.parseLong(words[1]), words[2]));
        limit(moments);
        limit(purged);
      }
      default -> throw new IllegalStateException(file + " has a line " + words[0]);
    }
  }

  private static void limit(List<Past.Mark> marks) {
    if (marks.size() > MOMENTS_MAX) {
      marks.subList(0, marks.size() - MOMENTS_MAX).clear();
    }
  }

  private void note(String line) {
    try {
      Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    take(line.split(" ", -1));
  }

  private void note(Past.Mark mark) {
    note("AT " + mark.seq() + " " + mark.bookmark());
  }

  /** Compares the present state and all that is remembered. */
  void check() {
    Cell.Dump found = past().dump();
    if (!seqs.contains(found.seq())) {
      broken.accept("the past object is at step " + found.seq() + " and should be at " + seqs);
    }
    compare("present", found.seq(), found);
    note(past().mark());
    List.copyOf(moments).forEach(this::checkMoment);
    List.copyOf(purged).forEach(this::checkPurged);
  }

  /** Does one thing. */
  void act() {
    int dice = random.nextInt(100);
    if (dice < 60) {
      note("STEP");
      note(past().step());
    } else if (dice < 70) {
      note("PURGE");
      var _ = runtime.admin().purgeHistory(PastObject.NAMESPACE, id());
      note("PURGED");
      note(past().mark());
    } else if (dice < 80 && !moments.isEmpty()) {
      Past.Mark target = moments.get(random.nextInt(moments.size()));
      note("RESTORE " + target.seq());
      runtime.admin().restoreNow(PastObject.NAMESPACE, id(), target.bookmark());
      Past.Mark restored = past().mark();
      if (restored.seq() != target.seq()) {
        broken.accept("a restore to " + target + " gave " + restored);
      }
      note(restored);
    } else if (dice < 95 && !moments.isEmpty()) {
      checkMoment(moments.get(random.nextInt(moments.size())));
    } else if (!purged.isEmpty()) {
      checkPurged(purged.get(random.nextInt(purged.size())));
    }
  }

  private void checkMoment(Past.Mark moment) {
    compare("remembered", moment.seq(), forked(moment));
  }

  /** The last state before a purge is that at its end, and is not always refused. */
  private void checkPurged(Past.Mark moment) {
    try {
      compare("purged", moment.seq(), forked(moment));
      if (refused.contains(moment.bookmark())) {
        broken.accept("a purged state of step " + moment.seq() + " is given");
      }
    } catch (BookmarkException e) {
      if (e.reason() != BookmarkException.Reason.NOT_KEPT) {
        throw e;
      }
    }
  }

  private Cell.Dump forked(Past.Mark moment) {
    String name = "fork-" + ProcessHandle.current().pid() + "-" + forks++;
    runtime.recovery(PastObject.NAMESPACE, id()).fork(moment.bookmark(), name);
    Cell.Dump dump = pasts().getByName(name).dump();
    runtime.admin().delete(PastObject.NAMESPACE, pasts().idFromName(name));
    return dump;
  }

  private void compare(String what, long seq, Cell.Dump found) {
    CellModel model = new CellModel(CELL, plan);
    model.advanceTo(seq);
    if (found.seq() != seq) {
      broken.accept("a " + what + " state of step " + seq + " is one of step " + found.seq());
    }
    model.differencesFrom(found).forEach(each -> broken.accept("a " + what + " state: " + each));
  }

  private ObjectNamespace<Past> pasts() {
    return runtime.namespace(PastObject.NAMESPACE, Past.class);
  }

  private Past past() {
    return pasts().getByName(NAME);
  }

  private ObjectId id() {
    return pasts().idFromName(NAME);
  }
}
