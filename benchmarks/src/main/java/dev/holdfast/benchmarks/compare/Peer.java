package dev.holdfast.benchmarks.compare;

import dev.holdfast.benchmarks.harness.ClosedLoop.CallerKind;
import java.io.IOException;
import java.util.Set;

/** A library or a server that keeps values of objects. Sessions are independent of each other. */
public interface Peer extends AutoCloseable {

  /** Where a peer runs: peers of different places do different work for a call. */
  enum Place {
    /** In the process of its callers. */
    IN_PROCESS,
    /** In separate processes, reached over a socket. */
    SERVER
  }

  /** {@return the name in tables and targets} */
  String name();

  /** {@return where it runs} */
  Place place();

  /** {@return what is synced, and when, in one line} */
  String durability();

  /** {@return what it can do} */
  Set<Workload> workloads();

  /** {@return the kind of thread that suits it best} */
  default CallerKind callers() {
    return CallerKind.PLATFORM;
  }

  /** {@return a new session} */
  Session session() throws Exception;

  /** {@return the processor time that its own processes have used} */
  default long cpuNanos() {
    return 0;
  }

  @Override
  void close() throws IOException;
}
