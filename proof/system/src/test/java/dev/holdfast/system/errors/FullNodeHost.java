package dev.holdfast.system.errors;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterOptions;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.faults.FreePorts;
import dev.holdfast.faults.Polling;
import dev.holdfast.health.HealthReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * The nodes a, b and c of a cluster in a process of their own; the directory of c is on a file
 * system that becomes full. Says what happens line by line.
 */
final class FullNodeHost {

  private static final int PAGE_BYTES = 60_000;

  /** More than fit, so that it ends even if the disk does not become full. */
  private static final int PAGES_MAX = 3_000;

  private static final Duration READY = Duration.ofMinutes(2);

  /** A book that only grows. */
  public interface Book {

    /** Adds a page of random bytes, and returns how many there are. */
    long write();

    /** Returns how many pages there are, of which all are whole. */
    long read();
  }

  record BookObject(ObjectContext context) implements Book {

    @Override
    public long write() {
      long count = count();
      context.storage().put("page-" + count, page(count));
      context.storage().put("count", count + 1);
      return count + 1;
    }

    @Override
    public long read() {
      long count = count();
      for (long i = 0; i < count; i++) {
        byte[] found = context.storage().get("page-" + i, byte[].class).orElse(new byte[0]);
        if (!Arrays.equals(found, page(i))) {
          throw new IllegalStateException("Page " + i + " is not what was written.");
        }
      }
      return count;
    }

    private long count() {
      return context.storage().get("count", Long.class).orElse(0L);
    }

    private static byte[] page(long number) {
      byte[] bytes = new byte[PAGE_BYTES];
      new SplittableRandom(number).nextBytes(bytes);
      return bytes;
    }
  }

  private FullNodeHost() {}

  private static void register(ObjectRegistrar objects) {
    objects.namespace("books", Book.class, BookObject::new);
  }

  /**
   * The child's main method.
   *
   * @param arguments the directory of a and b, the one of c, the file that takes room until c is
   *     opened again, and the node that owns the shard when the disk becomes full
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Path large = Path.of(arguments[0]);
    Path small = Path.of(arguments[1]);
    List<Integer> ports = FreePorts.pairs(3);
    String[] members = new String[3];
    for (int i = 0; i < 3; i++) {
      members[i] = (char) ('a' + i) + "=127.0.0.1:" + ports.get(i);
    }
    ClusterOptions options = ClusterOptions.of("full").members(members).withShards(1);
    ClusterRuntime a = open(large.resolve("a"), options.node("a"));
    ClusterRuntime b = open(large.resolve("b"), options.node("b"));
    ClusterRuntime c = open(small.resolve("c"), options.node("c"));
    for (ClusterRuntime each : List.of(a, b, c)) {
      each.awaitReady(READY);
    }
    move(a, arguments[3]);

    Book book = a.namespace("books", Book.class).getByName("one");
    boolean isOwner = arguments[3].equals("c");
    long acknowledged = 0;
    String failure = null;
    while (failure == null && acknowledged < PAGES_MAX) {
      try {
        acknowledged = book.write();
      } catch (InstanceResetException e) {
        failure = isOwner ? String.valueOf(e.getCause()) : null;
      }
      failure = isOwner ? failure : c.shards().getFirst().failure();
    }
    say("WRITTEN " + acknowledged);
    say("FAILURE " + failure);
    say("HEALTH " + c.health().reasons().stream().map(HealthReason::code).toList());
    if (isOwner) {
      drain(c);
    }

    long more = acknowledged;
    for (int i = 0; i < 20; i++) {
      more = Math.max(more, once(book::write, book::read));
    }
    // The one that failed may be there as well.
    say("OTHERS " + Math.min(20, more - acknowledged) + " " + a.shards().getFirst().owner());

    c.close();
    Files.delete(Path.of(arguments[2]));
    c = open(small.resolve("c"), options.node("c"));
    c.awaitReady(READY);
    move(a, "c");
    Book again = c.namespace("books", Book.class).getByName("one");
    long there = once(again::read, again::read);
    say("BACK " + (there - more) + " " + (once(again::write, again::read) - there));
    for (ClusterRuntime each : List.of(a, b, c)) {
      each.close();
    }
    say("DONE");
  }

  private static ClusterRuntime open(Path directory, ClusterOptions options) {
    return ClusterHoldfast.open(directory, options, FullNodeHost::register);
  }

  /** Moves the shard; on a busy machine a move may take too long, or the node be behind. */
  private static void move(ClusterRuntime asked, String node) {
    while (true) {
      try {
        asked.transfer(0, node);
        return;
      } catch (ClusterException | ObjectUnavailableException e) {
        Polling.pause();
      }
    }
  }

  /** The same for all shards of a node. */
  private static void drain(ClusterRuntime node) {
    while (true) {
      try {
        node.drain();
        return;
      } catch (ClusterException e) {
        Polling.pause();
      }
    }
  }

  /** Makes a call of an object that nobody else changes; after a lost owner, looks instead. */
  private static long once(Supplier<Long> call, Supplier<Long> look) {
    Supplier<Long> next = call;
    while (true) {
      try {
        return next.get();
      } catch (InstanceResetException | ObjectUnavailableException e) {
        next = look;
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
