package dev.holdfast.benchmarks.compare.server;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.peers.PekkoPeer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.state.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.state.javadsl.DurableStateBehavior;
import org.apache.pekko.persistence.typed.state.javadsl.Effect;

/** Durable states of Pekko, an actor for each object, with its own plug-in for PostgreSQL. */
public final class PekkoStatePeer implements Peer {

  /** An ask needs a time-out, which never expires here. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** The plug-in's own, a resource of its jar. */
  private static final String SCHEMA = "schema/postgres/postgres-create-schema.sql";

  private final PostgresServer server;
  private final ActorSystem<SpawnProtocol.Command> system;
  private final ConcurrentHashMap<String, ActorRef<Command>> actors = new ConcurrentHashMap<>();

  private PekkoStatePeer(PostgresServer server, ActorSystem<SpawnProtocol.Command> system) {
    this.server = server;
    this.system = system;
  }

  /** The messages of the actors. */
  private sealed interface Command {}

  /** Replaces the value; answered when it is durable. */
  private record Put(String value, ActorRef<Done> replyTo) implements Command {}

  /** Asks for the value. */
  private record Get(ActorRef<byte[]> replyTo) implements Command {}

  /** Asks for the value and ends the actor. */
  private record GetAndStop(ActorRef<byte[]> replyTo) implements Command {}

  private static final class State extends DurableStateBehavior<Command, byte[]> {

    State(String object) {
      super(PersistenceId.ofUniqueId(object));
    }

    @Override
    public byte[] emptyState() {
      return new byte[0];
    }

    @Override
    public CommandHandler<Command, byte[]> commandHandler() {
      return newCommandHandlerBuilder().forAnyState().onAnyCommand(this::handle);
    }

    private Effect<byte[]> handle(byte[] state, Command command) {
      return switch (command) {
        case Put put ->
            Effect()
                .persist(put.value().getBytes(StandardCharsets.ISO_8859_1))
                .thenReply(put.replyTo(), _ -> Done.done());
        case Get get -> Effect().reply(get.replyTo(), state);
        case GetAndStop get -> Effect().stop().thenReply(get.replyTo(), _ -> state);
      };
    }
  }

  /** Starts PostgreSQL and an actor system. */
  public static PekkoStatePeer start(PeerFiles files, Path directory) throws Exception {
    PostgresServer server = PostgresServer.start(files, directory);
    try (Connection connection =
            DriverManager.getConnection(server.url(), PostgresServer.USER, "");
        Statement statement = connection.createStatement();
        InputStream schema = PekkoStatePeer.class.getClassLoader().getResourceAsStream(SCHEMA)) {
      String statements =
          new String(Objects.requireNonNull(schema).readAllBytes(), StandardCharsets.UTF_8);
      for (String each : statements.split(";", -1)) { // some must be alone
        statement.execute(each);
      }
    }
    return new PekkoStatePeer(
        server,
        ActorSystem.create(Behaviors.setup(_ -> SpawnProtocol.create()), "states", config(server)));
  }

  /** Connections and threads for all callers; else the plug-in's twenty would set the pace. */
  private static Config config(PostgresServer server) {
    return ConfigFactory.parseString(
            """
            pekko.persistence.state.plugin = "jdbc-durable-state-store"
            jdbc-durable-state-store.slick {
              profile = "slick.jdbc.PostgresProfile$"
              db {
                driver = "org.postgresql.Driver"
                url = "%s"
                user = "%s"
                numThreads = %3$d
                minConnections = %3$d
                maxConnections = %3$d
              }
            }
            """
                .formatted(server.url(), PostgresServer.USER, Workload.CALLERS))
        .withFallback(PekkoPeer.config());
  }

  @Override
  public String name() {
    return "Pekko durable state";
  }

  @Override
  public Place place() {
    return Place.IN_PROCESS;
  }

  @Override
  public String durability() {
    return "its states in PostgreSQL, a separate process, " + PostgresServer.DURABILITY;
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.allOf(Workload.class);
  }

  @Override
  public CallerKind callers() {
    return CallerKind.VIRTUAL;
  }

  @Override
  public Session session() {
    return new Session() {
      @Override
      public void put(String object, byte[] value) {
        boolean isKept = Workload.isKept(object);
        ActorRef<Command> actor = isKept ? actor(object) : spawn(object);
        String text = new String(value, StandardCharsets.ISO_8859_1);
        ask(actor, (ActorRef<Done> replyTo) -> new Put(text, replyTo));
        if (!isKept) {
          ask(actor, GetAndStop::new);
        }
      }

      @Override
      public int read(String object) {
        return ask(actor(object), Get::new).length;
      }

      @Override
      public int readCold(String object) {
        return ask(spawn(object), GetAndStop::new).length;
      }
    };
  }

  private ActorRef<Command> actor(String object) {
    return actors.computeIfAbsent(object, this::spawn);
  }

  private ActorRef<Command> spawn(String object) {
    Behavior<Command> state = new State(object);
    CompletionStage<ActorRef<Command>> spawned =
        AskPattern.ask(
            system,
            replyTo -> new SpawnProtocol.Spawn<>(state, "", Props.empty(), replyTo),
            PATIENCE,
            system.scheduler());
    return spawned.toCompletableFuture().join();
  }

  private <T> T ask(
      ActorRef<Command> actor,
      org.apache.pekko.japi.function.Function<ActorRef<T>, Command> question) {
    return AskPattern.ask(actor, question, PATIENCE, system.scheduler())
        .toCompletableFuture()
        .join();
  }

  @Override
  public long cpuNanos() {
    return server.cpuNanos();
  }

  @Override
  public void close() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
    server.close();
  }
}
