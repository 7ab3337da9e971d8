package dev.holdfast.verify;

import dev.holdfast.HoldfastException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.faults.CopyAtRest;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A data directory with objects of both storage engines, and its state as an application sees it.
 */
final class SampleDirectory {

  static final String TOPIC = "changes";

  static final List<String> NAMESPACES = List.of("notes", "pairs");
  private static final List<String> NAMES = List.of("small", "other", "large", "alarm", "gone");

  /** The file is read in parts when it is opened; in the long version there are more segments. */
  private static final int LARGE_COUNT =
      "long".equals(System.getProperty("holdfast.tests")) ? 60 : 16;

  private SampleDirectory() {}

  /** The objects. */
  interface Notes {

    void put(String key, String value);

    void fill(String prefix, int count, int bytes);

    void clear();

    void wakeAt(Instant time);

    Map<String, String> content();
  }

  /** An object. */
  record NotesObject(ObjectContext context, ObjectStorage storage) implements Notes, AlarmHandler {

    @Override
    public void put(String key, String value) {
      storage.put(key, value);
      context.emit(TOPIC, key);
    }

    @Override
    public void fill(String prefix, int count, int bytes) {
      for (int number = 0; number < count; number++) {
        storage.put(prefix + number, "x".repeat(bytes) + number);
      }
    }

    @Override
    public void clear() {
      storage.deleteAll();
    }

    @Override
    public void wakeAt(Instant time) {
      storage.setAlarm(time);
    }

    @Override
    public Map<String, String> content() {
      Map<String, String> content = new TreeMap<>(storage.list(String.class));
      content.put("(alarm)", String.valueOf(storage.getAlarm()));
      return content;
    }

    @Override
    public void alarm(AlarmInfo alarm) {
      storage.put("woken", "yes");
    }
  }

  static ObjectRuntime open(Path data, boolean keepsHistory) {
    return open(data, keepsHistory, new VirtualClock(), RuntimeOptions.DEFAULT);
  }

  static ObjectRuntime open(
      Path data, boolean keepsHistory, VirtualClock clock, RuntimeOptions runtimeOptions) {
    NamespaceOptions options =
        NamespaceOptions.DEFAULT
            .withIdleTimeout(Duration.ofDays(9))
            .withRecoveryWindow(keepsHistory ? Duration.ofDays(1) : Duration.ZERO);
    return Holdfast.open(
        data,
        clock,
        objects ->
            objects
                .options(runtimeOptions)
                .namespace("notes", Notes.class, SampleDirectory::create, options)
                .namespace(
                    "pairs",
                    Notes.class,
                    SampleDirectory::create,
                    options.withStorage(StorageKind.ROCKSDB)));
  }

  private static NotesObject create(ObjectContext context) {
    return new NotesObject(context, context.storage());
  }

  /** Writes a directory that is closed cleanly. */
  static void writeClosed(Path data, boolean keepsHistory) {
    for (int round = 0; round < 2; round++) {
      try (ObjectRuntime runtime = open(data, keepsHistory)) {
        write(runtime, "round" + round);
      }
    }
  }

  /** Writes a directory as a kill leaves it: partly saved. */
  static void writeKilled(Path data, Path scratch, boolean keepsHistory) throws IOException {
    writeClosed(scratch, keepsHistory);
    try (ObjectRuntime runtime = open(scratch, keepsHistory)) {
      write(runtime, "late");
      runtime.namespace("notes", Notes.class).getByName("small").put("last", "word");
      CopyAtRest.of(scratch, data);
    }
  }

  /** Changes all objects. */
  static void write(ObjectRuntime runtime, String round) {
    runtime.consume(TOPIC, "index", String.class, _ -> {}).close();
    for (String name : NAMESPACES) {
      ObjectNamespace<Notes> notes = runtime.namespace(name, Notes.class);
      notes.getByName("small").put(round, "one");
      notes.getByName("other").fill(round + "-", 12, 500);
      notes.getByName("large").fill(round.substring(0, 1), LARGE_COUNT, 20_000);
      notes.getByName("large").put(round, "two");
      notes.getByName("alarm").wakeAt(VirtualClock.DEFAULT_START.plus(Duration.ofDays(3)));
      notes.getByName("gone").fill(round, 300, 10);
      notes.getByName("gone").clear();
    }
    // Else the journal would keep everything for it.
    runtime.admin().resetConsumer(TOPIC, "index", ConsumerStart.NOW);
  }

  /** {@return what an application sees of all objects} */
  static Map<String, Object> state(ObjectRuntime runtime) {
    Map<String, Object> state = new TreeMap<>();
    for (String name : NAMESPACES) {
      ObjectNamespace<Notes> notes = runtime.namespace(name, Notes.class);
      state.put(
          name,
          notes
              .list(new ObjectListOptions(Optional.empty(), Optional.empty(), 100))
              .items()
              .toString());
      for (String object : NAMES) {
        state.put(name + " " + object, notes.getByName(object).content());
      }
    }
    return state;
  }

  /** In the place of what an object has: its use, or the opening, was refused. */
  record Refusal(String error) {}

  /**
   * {@return what an application sees of all objects in a directory, each by itself; a refusal of
   * all if it does not open}
   *
   * <p>An error that is not one of Holdfast's is thrown.
   *
   * @param data opened and closed
   */
  static Map<String, Object> stateOrRefusals(Path data, boolean keepsHistory) {
    Map<String, Object> state = new TreeMap<>();
    try (ObjectRuntime runtime = open(data, keepsHistory)) {
      for (String name : NAMESPACES) {
        ObjectNamespace<Notes> notes = runtime.namespace(name, Notes.class);
        state.put(
            name,
            orRefusal(
                () ->
                    notes
                        .list(new ObjectListOptions(Optional.empty(), Optional.empty(), 100))
                        .items()
                        .toString()));
        for (String object : NAMES) {
          state.put(name + " " + object, orRefusal(() -> notes.getByName(object).content()));
        }
      }
    } catch (HoldfastException e) {
      state.put("(open)", new Refusal(e.toString()));
    }
    return state;
  }

  private static Object orRefusal(Supplier<Object> read) {
    try {
      return read.get();
    } catch (HoldfastException e) {
      return new Refusal(e.toString());
    }
  }

  /** {@return the objects that have other data than they had, with what they have} */
  static Map<String, Object> wrong(Map<String, Object> expected, Map<String, Object> found) {
    Map<String, Object> wrong = new TreeMap<>(found);
    wrong.values().removeIf(Refusal.class::isInstance);
    wrong.entrySet().removeAll(expected.entrySet());
    return wrong;
  }

  /** Copies a directory. */
  static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(directory)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, to.resolve(from.relativize(file)));
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** {@return the content of each file} */
  static Map<String, Integer> content(Path directory) throws IOException {
    Map<String, Integer> content = new TreeMap<>();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        content.put(
            directory.relativize(file).toString(), Arrays.hashCode(Files.readAllBytes(file)));
      }
    }
    return content;
  }
}
