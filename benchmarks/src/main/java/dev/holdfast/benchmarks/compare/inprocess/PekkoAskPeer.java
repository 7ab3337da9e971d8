package dev.holdfast.benchmarks.compare.inprocess;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import dev.holdfast.benchmarks.peers.PekkoPeer;
import java.util.EnumSet;
import java.util.Set;

/** Typed actors of Pekko, asked for a value in their memory. */
public final class PekkoAskPeer implements Peer {

  private static final int ACTORS = 1_000;
  private static final int VALUE_BYTES = 100;

  private final PekkoPeer actors = PekkoPeer.start(ACTORS, 1);

  @Override
  public String name() {
    return "Pekko typed ask";
  }

  @Override
  public Place place() {
    return Place.IN_PROCESS;
  }

  @Override
  public String durability() {
    return "keeps nothing: it only answers from memory";
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.of(Workload.READ);
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
        // Its actors have their values from the start.
      }

      @Override
      public int read(String object) {
        int number = Integer.parseInt(object.substring("many".length()));
        actors.ask(actors.actor(number)).toCompletableFuture().join();
        return VALUE_BYTES;
      }
    };
  }

  @Override
  public void close() {
    actors.close();
  }
}
