package dev.holdfast.benchmarks.calls;

import dev.holdfast.benchmarks.peers.PekkoPeer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The peer of {@link HotCallBenchmark#read}: a typed ask of an idle actor that reads a field, by
 * one caller that waits for the reply. Run it together with that benchmark; the settings are the
 * same.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1) // the second iteration is already steady; the rest is margin
@Measurement(iterations = 5, time = 1)
@Fork(3) // one JVM may be lucky with inlining
public class PekkoAskBenchmark {

  private final PekkoPeer peer = PekkoPeer.start(1, 1);

  /** Starts the actors. */
  public PekkoAskBenchmark() {}

  /** Stops the actors. */
  @TearDown(Level.Trial)
  public void close() {
    peer.close();
  }

  /** An ask whose reply the caller awaits. */
  @Benchmark
  public long ask() {
    return peer.ask(peer.actor(0)).toCompletableFuture().join();
  }
}
