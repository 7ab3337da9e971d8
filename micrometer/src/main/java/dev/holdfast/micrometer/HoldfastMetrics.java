package dev.holdfast.micrometer;

import dev.holdfast.ObjectRuntime;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Binds the statistics and the health of a runtime to meters. {@code docs/operations/metrics.md}
 * lists them.
 *
 * <pre>{@code
 * HoldfastMetrics metrics = new HoldfastMetrics(runtime);
 * metrics.bindTo(registry);
 * ...
 * metrics.close(); // before another runtime is bound to the registry
 * }</pre>
 *
 * <p>Calls never reach a meter: a meter reads a snapshot of {@link ObjectRuntime#statistics} when
 * the registry asks for its value, on the thread that asks. So a registry that blocks or throws
 * delays only itself. All meters that a registry reads within 250 milliseconds of its clock share
 * one snapshot.
 *
 * <p>Tags are bounded: namespaces, consumers, outcomes and reasons, never an object. After the
 * close of the runtime its meters have the last numbers.
 *
 * <p>Thread-safe.
 */
public final class HoldfastMetrics implements MeterBinder, AutoCloseable {

  private final ObjectRuntime runtime;
  private final Tags tags;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by {@link #lock}. */
  private final List<Binding> bindings = new ArrayList<>();

  /**
   * Creates a binder whose meters have no further tags.
   *
   * @param runtime the runtime to measure
   */
  public HoldfastMetrics(ObjectRuntime runtime) {
    this(runtime, Tags.empty());
  }

  /**
   * Creates a binder.
   *
   * @param runtime the runtime to measure
   * @param tags what each meter has in addition: the same keys for all runtimes of a registry, and
   *     other values for each of them
   */
  public HoldfastMetrics(ObjectRuntime runtime, Iterable<Tag> tags) {
    this.runtime = runtime;
    this.tags = Tags.of(tags);
  }

  /**
   * Registers the meters. A namespace or a reason that appears later gets its meters when a meter
   * is read.
   *
   * @param registry where to register them
   * @throws IllegalArgumentException if the registry has a meter of the same name and tags, but of
   *     another type
   */
  @Override
  public void bindTo(MeterRegistry registry) {
    Binding binding = new Binding(runtime, tags, registry);
    lock.lock();
    try {
      bindings.add(binding);
    } finally {
      lock.unlock();
    }
    binding.register();
  }

  /** Removes the meters from every registry that they were bound to. */
  @Override
  public void close() {
    List<Binding> bound;
    lock.lock();
    try {
      bound = List.copyOf(bindings);
      bindings.clear();
    } finally {
      lock.unlock();
    }
    bound.forEach(Binding::remove);
  }
}
