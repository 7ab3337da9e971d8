package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DirectoryInUseException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.errors.DataDirectoryException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.storage.ObjectStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpeningTest {

  /** Counts in a key and in a table. */
  public interface Counter {

    /** Adds to both counts and returns the sum of them. */
    long add(long delta);

    /** Returns every delta ever added. */
    List<Long> deltas();
  }

  static final class CounterObject implements Counter {

    private final ObjectStorage storage;

    CounterObject(ObjectContext context) {
      this.storage = context.storage();
      storage.sql().exec("CREATE TABLE IF NOT EXISTS deltas (delta INTEGER)");
    }

    @Override
    public long add(long delta) {
      long value = storage.get("value", Long.class).orElse(0L) + delta;
      storage.put("value", value);
      storage.sql().exec("INSERT INTO deltas VALUES (?)", delta);
      return value
          + storage.sql().exec("SELECT sum(delta) AS sum FROM deltas").one().getLong("sum");
    }

    @Override
    public List<Long> deltas() {
      return storage.sql().exec("SELECT delta FROM deltas ORDER BY rowid").stream()
          .map(row -> row.getLong("delta"))
          .toList();
    }
  }

  @TempDir Path directory;

  private ObjectRuntime open() {
    return Holdfast.open(
        directory.resolve("data"),
        objects -> objects.namespace("counters", Counter.class, CounterObject::new));
  }

  @Test
  void historyMayBeKeptForEver() {
    NamespaceOptions forEver =
        NamespaceOptions.DEFAULT.withRecoveryWindow(ChronoUnit.FOREVER.getDuration());
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            objects -> objects.namespace("things", Scripted.class, Scripted::of, forEver))) {
      String bookmark =
          Scripted.in(
              runtime.namespace("things", Scripted.class).getByName("a"),
              context -> context.storage().getCurrentBookmark());

      assertThat(bookmark).isNotEmpty();
    }
  }

  @Test
  void directoryOfSomethingElseIsRefusedByTheNameOfItsFile() throws IOException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.createDirectory(data.resolve("lost+found"));
    Files.writeString(data.resolve(".snapshot"), "");
    open().close(); // these are of file systems
    Path foreign = Files.createDirectory(directory.resolve("home"));
    Files.writeString(foreign.resolve("letter"), "mine");
    assertThatThrownBy(
            () ->
                Holdfast.open(
                    foreign, objects -> objects.namespace("things", Scripted.class, Scripted::of)))
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("it has letter");
    try (Stream<Path> files = Files.list(foreign)) {
      assertThat(files).containsExactly(foreign.resolve("letter"));
    }
    Files.writeString(data.resolve("letter"), "mine");
    open().close(); // it is a data directory already
  }

  @Test
  void objectsAreThereAgainWhenTheDirectoryIsReopened() {
    try (ObjectRuntime runtime = open()) {
      Counter counter = runtime.namespace("counters", Counter.class).getByName("a");
      assertThat(counter.add(2)).isEqualTo(4);
      assertThat(counter.add(3)).isEqualTo(10);
    }
    try (ObjectRuntime runtime = open()) {
      Counter counter = runtime.namespace("counters", Counter.class).getByName("a");
      assertThat(counter.deltas()).containsExactly(2L, 3L);
      assertThat(counter.add(1)).isEqualTo(12);
    }
  }

  /** Otherwise each opening would search the newest segment for the end of the journal. */
  @Test
  void runtimeThatIsClosedLeavesACleanEnd() throws IOException {
    for (int run = 0; run < 3; run++) {
      try (ObjectRuntime runtime = open()) {
        if (run < 2) {
          runtime.namespace("counters", Counter.class).getByName("a").add(1);
        }
      }
      byte[] mark = Files.readAllBytes(directory.resolve("data/journal.mark"));
      assertThat(ByteBuffer.wrap(mark).getLong(48)).as("tail after run %d", run).isPositive();
    }
  }

  /** Returns properties of the thread that runs it. */
  public interface Surroundings {

    /** Returns the value that the thread has inherited. */
    @Nullable String inherited();

    /** Returns the name of the thread's context class loader. */
    @Nullable String loader();
  }

  @Test
  void threadsOfTheRuntimeTakeNothingFromTheThreadThatStartsThem() {
    InheritableThreadLocal<String> identity = new InheritableThreadLocal<>();
    Surroundings object =
        new Surroundings() {
          @Override
          public @Nullable String inherited() {
            return identity.get();
          }

          @Override
          public @Nullable String loader() {
            return Thread.currentThread().getContextClassLoader().getName();
          }
        };
    ClassLoader application = new ClassLoader("application", OpeningTest.class.getClassLoader()) {};
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(application);
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory.resolve("data"),
            objects -> objects.namespace("surroundings", Surroundings.class, _ -> object))) {
      thread.setContextClassLoader(before);
      identity.set("the caller's");
      var stub = runtime.namespace("surroundings", Surroundings.class).stub("a");

      assertThat(stub.async(Surroundings::inherited).join()).isNull();
      assertThat(stub.async(Surroundings::loader).join()).isEqualTo("application");
    } finally {
      thread.setContextClassLoader(before);
      identity.remove();
    }
  }

  @Test
  void manyObjectsKeepTheirDataApart() {
    try (ObjectRuntime runtime = open()) {
      var counters = runtime.namespace("counters", Counter.class);
      IntStream.range(0, 100).forEach(i -> counters.getByName("n" + i).add(i));
      assertThat(counters.getByName("n42").deltas()).containsExactly(42L);
    }
    try (ObjectRuntime runtime = open()) {
      var counters = runtime.namespace("counters", Counter.class);
      assertThat(counters.getByName("n99").deltas()).containsExactly(99L);
    }
  }

  @Test
  void aSecondRuntimeOnTheDirectoryIsRefused() {
    try (ObjectRuntime _ = open()) {
      assertThatThrownBy(this::open)
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining(directory.resolve("data").toString());
    }
    open().close();
  }

  @Test
  void aMistakeInTheRegistrationTouchesNoFile() {
    assertThatThrownBy(
            () ->
                Holdfast.open(
                    directory.resolve("data"),
                    objects ->
                        objects
                            .namespace("counters", Counter.class, CounterObject::new)
                            .namespace("counters", Counter.class, CounterObject::new)))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("counters");
    assertThat(Files.exists(directory.resolve("data"))).isFalse();
  }

  @Test
  void nobodyButTheOwnerCanReadWhatTheRuntimeMakes() throws Exception {
    Path data = directory.resolve("private");
    Path export = directory.resolve("export.sqlite");
    try (ObjectRuntime runtime =
        Holdfast.open(
            data, objects -> objects.namespace("counters", Counter.class, CounterObject::new))) {
      var counters = runtime.namespace("counters", Counter.class);
      counters.getByName("one").add(1);
      runtime.recovery("counters", counters.idFromName("one")).exportTo(export);
      assertOwnerOnly(data, export);
    }
    assertOwnerOnly(data, export);
  }

  private static void assertOwnerOnly(Path data, Path export) throws Exception {
    List<Path> made = new ArrayList<>(List.of(export));
    try (Stream<Path> files = Files.walk(data)) {
      files.forEach(made::add);
    }
    assertThat(made).hasSizeGreaterThan(8);
    for (Path file : made) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .as(file.toString())
          .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
    }
  }
}
