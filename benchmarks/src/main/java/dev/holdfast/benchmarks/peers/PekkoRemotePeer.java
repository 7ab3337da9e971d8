package dev.holdfast.benchmarks.peers;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;

/**
 * The peer of a call to another node: an Apache Pekko actor that answers from memory, asked by
 * another actor system over TCP. Both are in this process, without TLS, as the nodes of the
 * measured cluster are. Thread-safe.
 */
public final class PekkoRemotePeer implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String REMOTE =
      """
      pekko.actor.provider = remote
      pekko.remote.artery.transport = tcp
      pekko.remote.artery.canonical.hostname = "127.0.0.1"
      pekko.remote.artery.canonical.port = 0
      """;

  private final ActorSystem asked;
  private final ActorSystem asking;
  private final ActorRef actor;

  private PekkoRemotePeer(ActorSystem asked, ActorSystem asking, ActorRef actor) {
    this.asked = asked;
    this.asking = asking;
    this.actor = actor;
  }

  /** Starts both systems. */
  public static PekkoRemotePeer start() {
    Config config = ConfigFactory.parseString(REMOTE).withFallback(PekkoPeer.config());
    ActorSystem asked = ActorSystem.create("asked", config);
    ActorSystem asking = ActorSystem.create("asking", config);
    ActorRef local = asked.actorOf(Props.create(MemoryActor.class, MemoryActor::new), "memory");
    String path =
        local.path().toSerializationFormatWithAddress(asked.provider().getDefaultAddress());
    ActorRef remote = ((ExtendedActorSystem) asking).provider().resolveActorRef(path);
    return new PekkoRemotePeer(asked, asking, remote);
  }

  /** Asks the actor for its value, and waits for the reply. */
  public long ask() {
    return (Long) Patterns.ask(actor, "read", PATIENCE).toCompletableFuture().join();
  }

  @Override
  public void close() {
    for (ActorSystem system : new ActorSystem[] {asking, asked}) {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().join();
    }
  }

  /** Answers from memory. */
  private static final class MemoryActor extends AbstractActor {

    private final long value = 1;

    @Override
    public Receive createReceive() {
      return receiveBuilder().matchEquals("read", _ -> getSender().tell(value, getSelf())).build();
    }
  }
}
