package dev.holdfast.simulation;

import dev.holdfast.AlarmStatus;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.spi.StorageThreads;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A runtime under the control of a test: its clock stands until the test advances it, and it can be
 * restarted, crashed, and given a bad disk.
 *
 * <pre>{@code
 * try (HoldfastControl holdfast = HoldfastControl.inMemory(
 *     objects -> objects.namespace("carts", Cart.class, CartObject::new))) {
 *   ObjectNamespace<Cart> carts = holdfast.namespace("carts", Cart.class);
 *   carts.getByName("ann").add("tea");
 *   holdfast.crash();
 *   assertThat(carts.getByName("ann").lines()).containsExactly("tea");
 * }
 * }</pre>
 *
 * <p>Owned by the thread of the test. Namespaces from here belong to the present runtime, also
 * after a restart; stubs are not.
 */
public final class HoldfastControl implements AutoCloseable {

  private static final int STORAGE_THREADS_MAX = 4;

  private final Registered registered;
  private final VirtualClock clock = new VirtualClock();
  private final Path directory;
  private final boolean isInFiles;
  private final boolean isOwnDirectory;

  private TestDisk disk = new TestDisk();
  private @Nullable InMemoryJournal memory;
  private @Nullable StepJournal journal;
  private ObjectRuntime runtime;
  private int crashAt;

  private HoldfastControl(Registered registered, Path directory, boolean isInFiles, boolean isOwn) {
    this.registered = registered;
    this.directory = directory;
    this.isInFiles = isInFiles;
    this.isOwnDirectory = isOwn;
    this.runtime = open();
  }

  /**
   * Opens a runtime with its journal in memory: a commit costs no sync. SQLite has its files in a
   * temporary directory.
   *
   * @param objects the application's registration
   * @return the control; close it
   */
  public static HoldfastControl inMemory(Consumer<ObjectRegistrar> objects) {
    return new HoldfastControl(new Registered(objects), Explorer.temporaryDirectory(), false, true);
  }

  /**
   * Opens a runtime with real files.
   *
   * @param directory the data directory
   * @param objects the application's registration
   * @return the control; close it
   */
  public static HoldfastControl inFiles(Path directory, Consumer<ObjectRegistrar> objects) {
    return new HoldfastControl(new Registered(objects), directory, true, false);
  }

  /**
   * Opens a runtime with real files in a temporary directory, which its close deletes.
   *
   * @param objects the application's registration
   * @return the control; close it
   */
  public static HoldfastControl inFiles(Consumer<ObjectRegistrar> objects) {
    return new HoldfastControl(new Registered(objects), Explorer.temporaryDirectory(), true, true);
  }

  /**
   * Opens a runtime in a temporary directory, which its close deletes.
   *
   * @param objects the application's registration
   * @param isInFiles whether the journal is in real files, and not in memory
   * @param shardRules whether objects are treated as a cluster would, whatever options they
   *     register; see {@link dev.holdfast.RuntimeOptions#withShardRules}
   * @return the control; close it
   */
  public static HoldfastControl open(
      Consumer<ObjectRegistrar> objects, boolean isInFiles, boolean shardRules) {
    Registered registered =
        shardRules ? Registered.withShardRules(objects) : new Registered(objects);
    return new HoldfastControl(registered, Explorer.temporaryDirectory(), isInFiles, true);
  }

  private ObjectRuntime open() {
    World.Parts parts =
        new World.Parts(
            registered,
            clock,
            Thread.ofVirtual().factory(),
            new StorageThreads(STORAGE_THREADS_MAX),
            new Silence(),
            1);
    if (isInFiles) {
      disk.repair();
      return World.inFiles(parts, directory, disk);
    }
    InMemoryJournal found = memory == null ? new InMemoryJournal() : memory;
    memory = found;
    StepJournal steps = new StepJournal(found, crashAt, _ -> 0);
    journal = steps;
    crashAt = 0;
    return World.inMemory(parts, steps, found, directory.resolve("sqlite"), disk);
  }

  /** {@return the present runtime} */
  public ObjectRuntime runtime() {
    return runtime;
  }

  /** {@return the clock of the runtime; nothing is due before the test advances it} */
  public VirtualClock clock() {
    return clock;
  }

  /**
   * {@return the disk of the runtime}
   *
   * @throws IllegalStateException if the journal is in memory
   */
  public TestDisk disk() {
    if (!isInFiles) {
      throw new IllegalStateException(
          "This runtime has its journal in memory: use real files to let a disk fail");
    }
    return disk;
  }

  /**
   * {@return a namespace, valid also after a restart}
   *
   * @param <T> the interface of its objects
   * @param name the name
   * @param type the interface
   */
  public <T> ObjectNamespace<T> namespace(String name, Class<T> type) {
    runtime.namespace(name, type);
    return new PresentNamespace<>(() -> runtime.namespace(name, type));
  }

  /** {@return the registered namespaces and the interfaces of their objects} */
  public Map<String, Class<?>> types() {
    return registered.types();
  }

  /** Closes the runtime, which makes everything durable, and opens it again. */
  public void restart() {
    runtime.close();
    if (memory != null) {
      memory = memory.prefix(memory.lastPosition());
    }
    runtime = open();
  }

  /**
   * Lets the process die now, and opens the runtime again: what was not durable is gone. Calls
   * under way fail.
   */
  public void crash() {
    die();
    runtime = open();
  }

  private void die() {
    if (journal != null) {
      memory = journal.end();
    } else {
      disk.die();
    }
    try {
      runtime.close();
    } catch (RuntimeException e) {
      // The close of a runtime whose journal has ended says what was lost, which is the intention.
    }
    disk = new TestDisk();
  }

  /**
   * Restarts the runtime, and lets it die at a later step of its journal: an append, or the begin
   * of a sync. The call that makes the step fails; {@link #crash} then opens what is left.
   *
   * @param step from 1
   * @throws IllegalStateException if the journal is not in memory
   */
  public void crashAt(int step) {
    if (isInFiles) {
      throw new IllegalStateException("Only a journal in memory counts its steps");
    }
    if (step < 1) {
      throw new IllegalArgumentException("Steps count from 1: " + step);
    }
    crashAt = step;
    restart();
  }

  /** {@return the steps of the journal since the last opening; empty with real files} */
  public List<String> steps() {
    return journal == null ? List.of() : journal.steps();
  }

  /**
   * Evicts an object: its instance is forgotten, as after an idle time.
   *
   * @param namespace its namespace
   * @param id its id
   * @return whether it was in memory and idle
   */
  public boolean evict(ObjectNamespace<?> namespace, ObjectId id) {
    return runtime.admin().evict(namespace.name(), id);
  }

  /**
   * Resets an object, as after a failure: calls under way fail.
   *
   * @param namespace its namespace
   * @param id its id
   * @return whether it was in memory
   */
  public boolean reset(ObjectNamespace<?> namespace, ObjectId id) {
    return runtime.admin().reset(namespace.name(), id);
  }

  /**
   * {@return the alarms of a namespace that are set, in the order of their times}
   *
   * @param namespace the namespace
   */
  public List<AlarmStatus> pendingAlarms(ObjectNamespace<?> namespace) {
    return new ArrayList<>(namespace.alarms().pending(Optional.empty(), 10_000).items());
  }

  /**
   * Lets the alarm of an object fire now, whenever it is set to, and waits for its handler. Named
   * alarms fire when the clock reaches them.
   *
   * @param namespace its namespace
   * @param id its id
   * @return whether the object had an alarm
   */
  public boolean runAlarm(ObjectNamespace<?> namespace, ObjectId id) {
    Instant now = clock.instant();
    boolean isSet =
        inObject(
            namespace,
            id,
            (_, storage) -> {
              if (storage.getAlarm().isEmpty()) {
                return false;
              }
              storage.setAlarm(now);
              return true;
            });
    clock.advance(Duration.ZERO);
    return isSet;
  }

  /**
   * Code that runs in an object.
   *
   * @param <T> the interface of the object
   * @param <R> what the code returns
   */
  @FunctionalInterface
  public interface Inside<T, R extends @Nullable Object> {

    /**
     * Runs as an event of the object.
     *
     * @param object the instance
     * @param storage its storage
     * @return anything; it is not copied
     * @throws Exception passed on to the test
     */
    R run(T object, ObjectStorage storage) throws Exception;
  }

  /**
   * Runs code of the test in an object, as an event of it, and waits until it is durable.
   *
   * @param <T> the interface of the object; its interface must have a method
   * @param <R> the result
   * @param namespace its namespace
   * @param id its id
   * @param code the code
   * @return what the code returned
   */
  public <T, R extends @Nullable Object> R inObject(
      ObjectNamespace<T> namespace, ObjectId id, Inside<T, R> code) {
    return registered.inObject(namespace, id, code);
  }

  /** Closes the runtime. */
  @Override
  public void close() {
    try {
      runtime.close();
    } finally {
      if (isOwnDirectory) {
        Explorer.delete(directory);
      }
    }
  }
}
