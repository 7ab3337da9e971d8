package dev.holdfast.benchmarks.peers;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/**
 * The peer of calls: Apache Pekko typed actors that do the same as the measured objects, called by
 * the typed ask. Thread-safe.
 */
public final class PekkoPeer implements AutoCloseable {

  /** An ask needs a time-out, which never expires here. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /**
   * As many threads as processors, where the default is at least eight: on a machine with two, more
   * threads only alternate. A mailbox is processed 64 messages at a time instead of 5, which avoids
   * most of a hot actor's rescheduling.
   */
  private static final String TUNED =
      """
      pekko.loglevel = WARNING
      pekko.log-dead-letters = off
      pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
      pekko.actor.default-dispatcher.fork-join-executor.parallelism-min = 1
      pekko.actor.default-dispatcher.fork-join-executor.parallelism-factor = 1.0
      pekko.actor.default-dispatcher.throughput = 64
      """;

  private final ActorSystem<Void> system;
  private final List<ActorRef<Command>> actors;
  private final ActorRef<Command> chain;

  private PekkoPeer(ActorSystem<Void> system, Actors made) {
    this.system = system;
    this.actors = made.all();
    this.chain = made.chain();
  }

  /** The messages of the actors. */
  public sealed interface Command {}

  /** Asks for the value. */
  record Read(ActorRef<Long> replyTo) implements Command {}

  /** The value of the next link has arrived. */
  private record Answered(long value, ActorRef<Long> replyTo) implements Command {}

  private record Actors(List<ActorRef<Command>> all, ActorRef<Command> chain) {}

  /** Starts a number of actors and a chain. */
  public static PekkoPeer start(int actorCount, int chainLength) {
    var made = new java.util.concurrent.CompletableFuture<Actors>();
    Behavior<Void> root =
        Behaviors.setup(
            context -> {
              List<ActorRef<Command>> all = new ArrayList<>();
              for (int i = 0; i < actorCount; i++) {
                all.add(context.spawn(Behaviors.setup(MemoryActor::new), "memory-" + i));
              }
              ActorRef<Command> last = context.spawn(Behaviors.setup(MemoryActor::new), "link-0");
              for (int i = 1; i < chainLength; i++) {
                ActorRef<Command> next = last;
                last = context.spawn(Behaviors.setup(own -> new LinkActor(own, next)), "link-" + i);
              }
              made.complete(new Actors(all, last));
              return Behaviors.empty();
            });
    return new PekkoPeer(ActorSystem.create(root, "peer", config()), made.join());
  }

  /** {@return the configuration of an actor system on this machine} */
  public static Config config() {
    // Without this, slf4j-api prints that it has no provider, which is intended.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    return ConfigFactory.parseString(TUNED).withFallback(ConfigFactory.load());
  }

  /** {@return the first link of the chain} */
  public ActorRef<Command> chain() {
    return chain;
  }

  /** {@return an actor that is not in the chain} */
  public ActorRef<Command> actor(int number) {
    return actors.get(number);
  }

  /** Asks an actor for its value. */
  public CompletionStage<Long> ask(ActorRef<Command> actor) {
    return AskPattern.ask(actor, Read::new, PATIENCE, system.scheduler());
  }

  @Override
  public void close() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }

  /** Answers from memory. */
  private static final class MemoryActor extends AbstractBehavior<Command> {
    private final long value = 1;

    MemoryActor(ActorContext<Command> context) {
      super(context);
    }

    @Override
    public Receive<Command> createReceive() {
      return newReceiveBuilder().onMessage(Read.class, this::read).build();
    }

    private Behavior<Command> read(Read read) {
      read.replyTo().tell(value);
      return this;
    }
  }

  /** Asks the next link and answers with its value and one more. */
  private static final class LinkActor extends AbstractBehavior<Command> {
    private final ActorRef<Command> next;

    LinkActor(ActorContext<Command> context, ActorRef<Command> next) {
      super(context);
      this.next = next;
    }

    @Override
    public Receive<Command> createReceive() {
      return newReceiveBuilder()
          .onMessage(Read.class, this::read)
          .onMessage(Answered.class, this::answered)
          .build();
    }

    private Behavior<Command> read(Read read) {
      getContext()
          .ask(
              Long.class,
              next,
              PATIENCE,
              Read::new,
              (value, failure) -> new Answered(value, read.replyTo()));
      return this;
    }

    private Behavior<Command> answered(Answered answer) {
      answer.replyTo().tell(answer.value() + 1);
      return this;
    }
  }
}
