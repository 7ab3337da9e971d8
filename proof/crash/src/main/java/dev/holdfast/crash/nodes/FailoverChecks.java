package dev.holdfast.crash.nodes;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * What is checked after nodes were killed, while nobody else calls:
 *
 * <ul>
 *   <li>Documents, on both engines and in all shards, are marked before a kill. After it they are
 *       changed and restored by their bookmarks: every byte must be as it was.
 *   <li>The money of all purses, with what is under way, is what they had at first.
 * </ul>
 *
 * Owned by one thread.
 */
final class FailoverChecks {

  /** On each engine; with these names, each of four shards has some. */
  private static final int DOCUMENTS = 6;

  /** A bookmark is used again only as long as the history surely has it. */
  private static final int MARKS_KEPT = 10;

  /**
   * A gift whose caller was lost may be on its way for this number of looks, and the history of a
   * node that has joined.
   */
  private static final int TRIES = 40;

  private final Promises promises;
  private final SplittableRandom random;

  /** The latest marks of each document, oldest first. */
  private final Map<String, List<Mark>> marks = new TreeMap<>();

  private long writes;
  private int restores;
  private int sums;

  /** A state: its bookmark, and the digest of the content at that time. */
  private record Mark(String bookmark, String digest) {

    static Mark of(String answer) {
      String[] words = answer.split(" ", -1);
      return new Mark(words[0], words[1]);
    }
  }

  /** Makes calls, and waits. */
  interface Asking {

    /** {@return the answers of calls, each repeated until it is answered} */
    List<String> askAll(List<Call> calls);

    /** Lets some time pass. */
    void pause();
  }

  FailoverChecks(Promises promises, SplittableRandom random) {
    this.promises = promises;
    this.random = random;
  }

  /** {@return how many documents were restored} */
  int restores() {
    return restores;
  }

  /** {@return how often the money was counted} */
  int sums() {
    return sums;
  }

  static List<String> documents() {
    return IntStream.range(0, 2 * DOCUMENTS)
        .mapToObj(index -> (index % 2 == 0 ? "d" : "r") + index)
        .toList();
  }

  /** Changes the documents, and remembers their states. */
  void mark(Asking asking) {
    write(asking);
    Map<String, String> found = askEach(asking, name -> new Call("mark", name, ""));
    found.forEach(
        (name, answer) -> {
          List<Mark> known = marks.computeIfAbsent(name, _ -> new ArrayList<>());
          known.add(Mark.of(answer));
          if (known.size() > MARKS_KEPT) {
            known.removeFirst();
          }
        });
  }

  private void write(Asking asking) {
    writes++;
    askEach(asking, name -> new Call("write", name, "text-" + writes + "-" + random.nextLong()));
  }

  /** Restores each document to its last state, and then to an earlier one. */
  void check(Asking asking) {
    Map<String, Mark> last = new HashMap<>();
    Map<String, Mark> earlier = new HashMap<>();
    marks.forEach(
        (name, known) -> {
          last.put(name, known.getLast());
          earlier.put(name, known.get(random.nextInt(known.size())));
        });
    if (!marks.isEmpty()) {
      write(asking); // what has the state already would not show that it is restored
      restore(asking, last);
      restore(asking, earlier);
    }
    countMoney(asking);
  }

  private void restore(Asking asking, Map<String, Mark> to) {
    List<String> names = List.copyOf(to.keySet());
    List<String> left = names;
    for (int tries = 0; !left.isEmpty(); tries++) {
      List<String> failed = new ArrayList<>();
      Map<String, String> answers =
          askOf(asking, left, name -> new Call("restore", name, bookmark(to, name)));
      for (Map.Entry<String, String> each : answers.entrySet()) {
        if (each.getValue().startsWith(CrashNode.UNUSABLE)) {
          failed.add(each.getKey());
          if (tries == TRIES) {
            promises.broken(
                "the bookmark %s of the document %s cannot be restored, it is %s"
                    .formatted(bookmark(to, each.getKey()), each.getKey(), each.getValue()));
          }
        }
      }
      if (tries == TRIES) {
        return;
      }
      left = failed;
      if (!left.isEmpty()) {
        asking.pause();
      }
    }
    askOf(asking, names, name -> new Call("digest", name, ""))
        .forEach(
            (name, digest) -> {
              restores++;
              Mark mark = to.get(name);
              if (mark != null && !mark.digest().equals(digest)) {
                promises.broken(
                    "the document %s was restored to %s and has the digest %s instead of %s"
                        .formatted(name, mark.bookmark(), digest, mark.digest()));
              }
            });
  }

  private static String bookmark(Map<String, Mark> marks, String name) {
    Mark mark = marks.get(name);
    if (mark == null) {
      throw new IllegalArgumentException("The document " + name + " has no mark");
    }
    return mark.bookmark();
  }

  /** Nobody gives now, but a gift of a caller that was lost may not have ended. */
  private void countMoney(Asking asking) {
    long expected = CallPlan.PURSE_COUNT * PurseObject.OPENING;
    long sum = sum(asking);
    for (int tries = 0; tries < TRIES && sum != expected; tries++) {
      asking.pause();
      sum = sum(asking);
    }
    sums++;
    promises.checkMoney(sum, CallPlan.PURSE_COUNT);
  }

  private static long sum(Asking asking) {
    List<Call> calls =
        IntStream.range(0, CallPlan.PURSE_COUNT)
            .mapToObj(purse -> new Call("worth", CallPlan.purse(purse), ""))
            .toList();
    return asking.askAll(calls).stream().mapToLong(Long::parseLong).sum();
  }

  private static Map<String, String> askEach(Asking asking, Function<String, Call> call) {
    return askOf(asking, documents(), call);
  }

  private static Map<String, String> askOf(
      Asking asking, List<String> names, Function<String, Call> call) {
    List<String> answers = asking.askAll(names.stream().map(call).toList());
    Map<String, String> byName = new TreeMap<>();
    for (int i = 0; i < answers.size(); i++) {
      byName.put(names.get(i), answers.get(i));
    }
    return byName;
  }
}
