package dev.holdfast.crash.nodes;

import dev.holdfast.BookmarkException;
import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.StorageKind;
import dev.holdfast.cluster.ClusterHoldfast;
import dev.holdfast.cluster.ClusterRuntime;
import dev.holdfast.cluster.ShardStatus;
import dev.holdfast.cluster.errors.ClusterException;
import dev.holdfast.cluster.errors.ClusterException.Reason;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.launcher.process.ParentPipe;
import dev.holdfast.nodes.NodePlace;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A node that is disturbed, in a separate process. It does what its parent says, and answers in
 * lines; {@code open} when it listens, and {@code ready} when every shard has an owner and this
 * node is a member:
 *
 * <ul>
 *   <li>{@code do ID KIND NAME ...}: a call. {@code ok ID RESULT}, {@code none ID} if it surely had
 *       no effect, {@code unknown ID}, or {@code wrong ID WHY} for an error that must not be.
 *   <li>{@code add NAME=HOST:PORT}, {@code replace NAME=HOST:PORT} and {@code remove NAME}: {@code
 *       changed} when the members are so, or {@code refused WHY}.
 *   <li>{@code safe}: {@code changed} when it is safe to stop this node, or {@code refused WHY};
 *       {@code drain}: {@code changed} when it owns nothing.
 *   <li>{@code move SHARD NAME}: {@code changed} when the node NAME owns the shard, or {@code
 *       refused WHY}.
 *   <li>{@code close}: {@code closed} when this node is closed; its process waits to be killed.
 *   <li>{@code clock MILLIS}: from now on the wall clock is ahead of the clock of the machine.
 *   <li>{@code health}: {@code health TEXT ...}, with the reasons why this node is not well.
 *   <li>{@code status}: {@code status SHARD:OWNER:EPOCH:POSITION ... MEMBERS}, the position 0 if
 *       this node does not keep the shard; and {@code stopped WHY} for a copy that has stopped.
 * </ul>
 */
final class CrashNode {

  static final String NUMBERS = "numbers";
  static final String NUMBERS_ROCKSDB = "numbers-rocksdb";
  static final String LINES = "lines";
  static final String PURSES = "purses";
  static final String BELLS = "bells";
  static final String DOCUMENTS = "documents";
  static final String DOCUMENTS_ROCKSDB = "documents-rocksdb";

  /** Begins the answer about a bookmark that cannot be used. */
  static final String UNUSABLE = "unusable: ";

  private static final Duration READY = Duration.ofMinutes(5);
  private static final long REFUSED_MILLIS = 500;
  private static final Duration ROUTE_TIMEOUT = Duration.ofSeconds(4);

  /** Long enough for elections on a busy machine. */
  private static final Duration FAILOVER = Duration.ofSeconds(3);

  private final ParentPipe parent;
  private volatile @Nullable ClusterRuntime runtime;
  private final CountDownLatch closing = new CountDownLatch(1);

  private CrashNode(ParentPipe parent) {
    this.parent = parent;
  }

  private ClusterRuntime runtime() {
    return Objects.requireNonNull(runtime, "The parent is heard when the node is open.");
  }

  /**
   * The child's main method.
   *
   * @param arguments the place of the node
   * @throws InterruptedException never
   */
  public static void main(String[] arguments) throws InterruptedException {
    ParentPipe parent = new ParentPipe();
    NodePlace place = NodePlace.ofArguments(arguments);
    CrashNode node = new CrashNode(parent);
    boolean isLost = !Files.exists(place.directory());
    while (true) {
      try {
        node.run(place);
        break;
      } catch (ClusterException e) {
        // Refused until the others have heard that the node may return without its directory, or
        // because it heard too late that it is to wait until it is added.
        if (!isLost || (e.reason() != Reason.INCARNATION && e.reason() != Reason.NOT_A_MEMBER)) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(REFUSED_MILLIS);
      }
    }
    parent.say("closed");
    new CountDownLatch(1).await(); // until it is killed
  }

  private void run(NodePlace place) throws InterruptedException {
    try (ClusterRuntime opened =
        ClusterHoldfast.open(
            place.directory(),
            place.options().withRouteTimeout(ROUTE_TIMEOUT).withFailover(FAILOVER),
            CrashNode::register)) {
      boolean isFirst = runtime == null;
      runtime = opened;
      if (isFirst) {
        parent.listen(this::take);
      }
      parent.say("open");
      if (opened.awaitReady(READY)) {
        parent.say("ready");
      }
      closing.await();
    }
  }

  static void register(ObjectRegistrar objects) {
    NamespaceOptions rocksDb = NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB);
    objects.namespace(NUMBERS, Figure.class, FigureObject::new);
    objects.namespace(NUMBERS_ROCKSDB, Figure.class, FigureObject::new, rocksDb);
    objects.namespace(LINES, Lines.class, LinesObject::new, rocksDb);
    objects.namespace(PURSES, Purse.class, PurseObject::new);
    objects.namespace(
        BELLS, Bell.class, context -> new BellObject(context, CrashClock::latestMillis));
    objects.namespace(DOCUMENTS, Document.class, context -> new DocumentObject(context, true));
    objects.namespace(
        DOCUMENTS_ROCKSDB, Document.class, context -> new DocumentObject(context, false), rocksDb);
  }

  private void take(String line) {
    String[] words = line.split(" ", -1);
    switch (words[0]) {
      case "do" -> Thread.startVirtualThread(() -> call(words));
      case "add" ->
          Thread.startVirtualThread(
              () -> change(() -> runtime().add(words[1]), Reason.ALREADY_MEMBER));
      case "remove" ->
          Thread.startVirtualThread(
              () -> change(() -> runtime().remove(words[1]), Reason.NOT_A_MEMBER));
      case "replace" ->
          Thread.startVirtualThread(() -> change(() -> runtime().replace(words[1]), null));
      case "safe" ->
          Thread.startVirtualThread(
              () ->
                  parent.say(
                      runtime()
                          .whyNotToStop()
                          .map(why -> "refused " + oneLine(why))
                          .orElse("changed")));
      case "drain" -> Thread.startVirtualThread(() -> change(() -> runtime().drain(), null));
      case "move" ->
          Thread.startVirtualThread(
              () -> change(() -> runtime().transfer(Integer.parseInt(words[1]), words[2]), null));
      case "close" -> closing.countDown();
      case "clock" -> CrashClock.jump(Duration.ofMillis(Long.parseLong(words[1])));
      case "health" -> parent.say("health " + health());
      case "status" -> parent.say(status());
      default -> throw new IllegalArgumentException(line);
    }
  }

  private void call(String[] words) {
    try {
      parent.say("ok " + words[1] + " " + called(words));
    } catch (HoldfastException e) {
      parent.say((hadNoEffect(e) ? "none " : "unknown ") + words[1]);
    } catch (RuntimeException e) {
      parent.say("wrong " + words[1] + " " + oneLine(e));
    }
  }

  private Object called(String[] words) {
    String name = words[3];
    return switch (words[2]) {
      case "read" -> number(name).read();
      case "add" -> number(name).add(Long.parseLong(words[4]));
      case "set" -> number(name).compareAndSet(Long.parseLong(words[4]), Long.parseLong(words[5]));
      case "append" -> {
        runtime().namespace(LINES, Lines.class).getByName(name).append(words[4]);
        yield "";
      }
      case "lines" ->
          String.join(",", runtime().namespace(LINES, Lines.class).getByName(name).all());
      case "give" -> {
        purse(name).give(words[4], words[5], Long.parseLong(words[6]));
        yield "";
      }
      case "settle" -> purse(name).settle();
      case "balance" -> purse(name).balance();
      case "worth" -> purse(name).worth();
      case "write" -> {
        documents(name).getByName(name).write(words[4]);
        yield "";
      }
      case "mark" -> documents(name).getByName(name).mark();
      case "digest" -> documents(name).getByName(name).digest();
      case "restore" -> restored(documents(name), name, words[4]);
      case "bell" ->
          String.valueOf(
              runtime().namespace(BELLS, Bell.class).getByName(name).set(Long.parseLong(words[4])));
      case "rings" ->
          runtime().namespace(BELLS, Bell.class).getByName(name).rings().stream()
              .map(String::valueOf)
              .collect(Collectors.joining(","));
      default -> throw new IllegalArgumentException(String.join(" ", words));
    };
  }

  /** The name says which engine keeps the number. */
  private Figure number(String name) {
    String namespace = name.startsWith("r") ? NUMBERS_ROCKSDB : NUMBERS;
    return runtime().namespace(namespace, Figure.class).getByName(name);
  }

  private ObjectNamespace<Document> documents(String name) {
    String namespace = name.startsWith("r") ? DOCUMENTS_ROCKSDB : DOCUMENTS;
    return runtime().namespace(namespace, Document.class);
  }

  /** A restore that a lost node has begun may be under way still: then this one is repeated. */
  private String restored(ObjectNamespace<Document> documents, String name, String bookmark) {
    try {
      runtime().admin().restoreNow(documents.name(), documents.idFromName(name), bookmark);
      return "";
    } catch (BookmarkException | IllegalStateException e) {
      return UNUSABLE + oneLine(e);
    }
  }

  private Purse purse(String name) {
    return runtime().namespace(PURSES, Purse.class).getByName(name);
  }

  /**
   * A change that is there already was made by one that seemed to fail. The one to which a shard is
   * to move may be no member yet, as far as this node knows.
   */
  private void change(Runnable change, @Nullable Reason alreadyThere) {
    try {
      change.run();
      parent.say("changed");
    } catch (HoldfastException | IllegalArgumentException e) {
      boolean isThere = e instanceof ClusterException refused && refused.reason() == alreadyThere;
      parent.say(isThere ? "changed" : "refused " + oneLine(e));
    }
  }

  private String health() {
    return runtime().health().reasons().stream()
        .map(each -> oneLine(each.text()))
        .collect(Collectors.joining("; "));
  }

  private static String oneLine(Object text) {
    return text.toString().replaceAll("\\R", " ");
  }

  private static boolean hadNoEffect(HoldfastException failure) {
    return switch (failure) {
      case ObjectUnavailableException e -> e.delivery() == Delivery.NOT_DELIVERED;
      case InstanceResetException e -> e.writeOutcome() == WriteOutcome.NOT_WRITTEN;
      case ObjectCallTimeoutException e -> !e.delivered();
      case ObjectOverloadedException _ -> true;
      default -> false;
    };
  }

  private String status() {
    List<ShardStatus> shards = runtime().shards();
    for (ShardStatus each : shards) {
      String failure = each.failure();
      if (failure != null) {
        return "stopped shard " + each.shard() + ": " + oneLine(failure);
      }
    }
    return "status "
        + shards.stream()
            .map(
                each ->
                    each.shard()
                        + ":"
                        + (each.owner() == null ? "?" : each.owner())
                        + ":"
                        + each.epoch()
                        + ":"
                        + each.lastPosition())
            .collect(Collectors.joining(" "))
        + " "
        + String.join(",", runtime().members());
  }
}
