package dev.holdfast.embedded.archive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectListOptions;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.archive.RestoreTarget.AtPosition;
import dev.holdfast.archive.RestoreTarget.Latest;
import dev.holdfast.archiver.ArchiveCheck;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A runtime of both storage engines is archived with base images, lost and restored. */
final class ArchivedBaseTest {

  @TempDir Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** A list that only grows. */
  public interface Diary {

    /** Adds an entry and returns how many there are. */
    int add(String entry);

    /** Returns all entries. */
    List<String> all();

    /** Overwrites some text: the journal grows, and what it leads to does not. */
    void scribble(int round);
  }

  private record DiaryObject(ObjectContext context) implements Diary {

    @Override
    public int add(String entry) {
      int size = context.storage().get("size", Integer.class).orElse(0) + 1;
      context.storage().put("size", size);
      context.storage().put("entry-" + size, entry);
      return size;
    }

    @Override
    public List<String> all() {
      int size = context.storage().get("size", Integer.class).orElse(0);
      return IntStream.rangeClosed(1, size)
          .mapToObj(each -> context.storage().get("entry-" + each, String.class).orElseThrow())
          .toList();
    }

    @Override
    public void scribble(int round) {
      context.storage().put("scribble", Integer.toString(round % 10).repeat(60_000));
    }
  }

  private ObjectRuntime open(String data, ArchiveOptions archive) {
    RuntimeOptions options =
        RuntimeOptions.DEFAULT
            .withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0))
            .withArchive(archive.withLateMax(Duration.ofDays(365)));
    return Holdfast.open(
        directory.resolve(data),
        clock,
        objects ->
            objects
                .options(options)
                .namespace("tables", Diary.class, DiaryObject::new)
                .namespace(
                    "pairs",
                    Diary.class,
                    DiaryObject::new,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private ArchiveOptions archive() {
    return archive("archive");
  }

  private ArchiveOptions archive(String name) {
    return ArchiveOptions.to(new DirectoryArchive(directory.resolve(name)));
  }

  /** Everything that the objects have. */
  private static TreeMap<String, List<String>> contentOf(ObjectRuntime runtime) {
    TreeMap<String, List<String>> content = new TreeMap<>();
    for (String namespace : List.of("tables", "pairs")) {
      for (int i = 0; i < 20; i++) {
        content.put(
            namespace + i, runtime.namespace(namespace, Diary.class).getByName("d" + i).all());
      }
    }
    return content;
  }

  private void write(ObjectRuntime runtime, int round) {
    for (String namespace : List.of("tables", "pairs")) {
      for (int i = 0; i < 20; i += 1 + round % 3) {
        runtime
            .namespace(namespace, Diary.class)
            .getByName("d" + i)
            .add(round + " " + "x".repeat(round * 40));
      }
    }
  }

  private long awaitBase(ObjectRuntime runtime, long after) {
    // An image is made when the journal has grown by more than the size of the last one.
    for (int i = 0; runtime.statistics().archive().basePosition() <= after; i++) {
      runtime.namespace("tables", Diary.class).getByName("scribbler").scribble(i);
      clock.advance(Duration.ofSeconds(5));
    }
    return runtime.statistics().archive().basePosition();
  }

  private TreeMap<String, List<String>> restored(String name, RestoreTarget target) {
    Holdfast.restore(
        new DirectoryArchive(directory.resolve("archive")),
        directory.resolve(name),
        RestoreRequest.of(target));
    try (ObjectRuntime runtime =
        open(name, ArchiveOptions.to(new DirectoryArchive(directory.resolve("of-" + name))))) {
      return contentOf(runtime);
    }
  }

  @Test
  void everyMomentAfterAnImageIsRestoredWithIt() {
    TreeMap<Long, TreeMap<String, List<String>>> moments = new TreeMap<>();
    ArchiveOptions often = archive().withBaseBytes(1).withBasesMax(2);
    try (ObjectRuntime runtime = open("data", often)) {
      long base = 0;
      for (int round = 0; round < 3; round++) {
        write(runtime, round);
        base = awaitBase(runtime, base);
        moments.put(runtime.statistics().journal().durablePosition(), contentOf(runtime));
      }
      write(runtime, 9);
      moments.put(runtime.statistics().journal().durablePosition(), contentOf(runtime));
    }
    assertThat(directory.resolve("data/archive.base")).doesNotExist();
    assertThat(restored("latest", new Latest())).isEqualTo(moments.lastEntry().getValue());
    long before = moments.lowerKey(moments.lastKey());
    assertThat(restored("before", new AtPosition(before))).isEqualTo(moments.get(before));
  }

  @Test
  void restoredDirectoryGoesOnWithTheArchive() {
    ArchiveOptions often = archive().withBaseBytes(1);
    TreeMap<String, List<String>> last;
    try (ObjectRuntime runtime = open("data", often)) {
      write(runtime, 1);
      awaitBase(runtime, 0);
      write(runtime, 2);
    }
    Holdfast.restore(
        new DirectoryArchive(directory.resolve("archive")),
        directory.resolve("moved"),
        RestoreRequest.of(new Latest()));
    try (ObjectRuntime runtime = open("moved", often)) {
      write(runtime, 3);
      awaitBase(runtime, runtime.statistics().archive().basePosition());
      write(runtime, 4);
      last = contentOf(runtime);
    }
    assertThat(restored("again", new Latest())).isEqualTo(last);
  }

  @Test
  void purgedBytesAreInNoEntryOfAPurgedArchive() throws Exception {
    String secret = "a secret of " + "x".repeat(20);
    Path place = directory.resolve("archive");
    TreeMap<String, List<String>> last;
    try (ObjectRuntime runtime = open("data", archive())) {
      write(runtime, 1);
      for (String namespace : List.of("tables", "pairs")) {
        runtime.namespace(namespace, Diary.class).getByName("forgotten").add(secret);
      }
      awaitArchived(runtime);
      assertThat(entriesWith(place, secret)).isNotEmpty();
      for (String namespace : List.of("tables", "pairs")) {
        ObjectId id = runtime.namespace(namespace, Diary.class).idFromName("forgotten");
        runtime.admin().delete(namespace, id);
        await(runtime.admin().purgeHistory(namespace, id));
      }
      long first = await(runtime.admin().purgeArchive());
      assertThat(entriesWith(place, secret)).isEmpty();
      assertThat(runtime.statistics().archive().basePosition()).isGreaterThanOrEqualTo(first);
      write(runtime, 2);
      last = contentOf(runtime);
    }
    assertThat(restored("purged", new Latest())).isEqualTo(last);
    assertThat(ArchiveCheck.run(new DirectoryArchive(place), place).findings()).isEmpty();
  }

  /** The image of a purged archive has no history, and the restore can still be asked for. */
  @Test
  void restoreThatWasRequestedNeitherHoldsAPurgeNorLeavesAnUnusableObject() {
    TreeMap<String, List<String>> before = new TreeMap<>();
    try (ObjectRuntime runtime = open("data", archive())) {
      for (String namespace : List.of("tables", "pairs")) {
        Diary diary = runtime.namespace(namespace, Diary.class).getByName("d");
        ObjectId id = runtime.namespace(namespace, Diary.class).idFromName("d");
        diary.add("first");
        clock.advance(Duration.ofSeconds(1));
        String bookmark =
            runtime
                .recovery(namespace, id)
                .bookmarkForTime(Instant.ofEpochMilli(clock.wallMillis() - 1));
        diary.add("second");
        runtime.recovery(namespace, id).restoreOnNextSession(bookmark);
        before.put(namespace, List.of("first", "second"));
      }
      await(runtime.admin().purgeArchive());
      awaitArchived(runtime);
    }
    Holdfast.restore(
        new DirectoryArchive(directory.resolve("archive")),
        directory.resolve("restored"),
        RestoreRequest.of(new Latest()));
    for (int opening = 0; opening < 2; opening++) {
      try (ObjectRuntime runtime = open("restored", archive("of restored"))) {
        for (String namespace : before.keySet()) {
          Diary diary = runtime.namespace(namespace, Diary.class).getByName("d");
          assertThat(diary.all()).isEqualTo(before.get(namespace));
        }
      }
    }
    try (ObjectRuntime runtime = open("data", archive())) {
      for (String namespace : before.keySet()) {
        Diary diary = runtime.namespace(namespace, Diary.class).getByName("d");
        assertThat(diary.all()).containsExactly("first");
      }
    }
  }

  private void awaitArchived(ObjectRuntime runtime) {
    long durable = runtime.statistics().journal().durablePosition();
    while (runtime.statistics().archive().position() < durable) {
      clock.advance(Duration.ofSeconds(5));
    }
  }

  private <T> T await(CompletableFuture<T> future) {
    while (!future.isDone()) {
      clock.advance(Duration.ofSeconds(5));
      Thread.onSpinWait();
    }
    return future.join();
  }

  private static List<Path> entriesWith(Path place, String text) throws IOException {
    List<Path> found = new ArrayList<>();
    try (var files = Files.walk(place)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (new String(Files.readAllBytes(file), ISO_8859_1).contains(text)) {
          found.add(file);
        }
      }
    }
    return found;
  }

  @Test
  void runtimeWithoutAnArchiveHasNothingToPurge() {
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory.resolve("data"),
            clock,
            objects -> objects.namespace("tables", Diary.class, DiaryObject::new))) {
      assertThat(runtime.admin().purgeArchive())
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withMessageContaining("The runtime has no archive");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tables", "pairs"})
  void selectedObjectsAreRestoredWithAnImage(String namespace) {
    TreeMap<String, List<String>> content;
    try (ObjectRuntime runtime = open("data", archive())) {
      write(runtime, 0);
      await(runtime.admin().purgeArchive());
      write(runtime, 2);
      content = contentOf(runtime);
    }
    RestoreRequest latest = RestoreRequest.of(new Latest());
    DirectoryArchive from = new DirectoryArchive(directory.resolve("archive"));
    Holdfast.restore(from, directory.resolve("one"), latest.withObject(namespace, "d3"));
    Holdfast.restore(from, directory.resolve("all"), latest.withNamespace(namespace));
    try (ObjectRuntime runtime = open("one", archive("of one"))) {
      var diaries = runtime.namespace(namespace, Diary.class);
      assertThat(diaries.list(ObjectListOptions.ALL).items())
          .extracting(id -> id.name().orElse(""))
          .containsExactly("d3");
      assertThat(diaries.getByName("d3").all()).isEqualTo(content.get(namespace + 3));
    }
    try (ObjectRuntime runtime = open("all", archive("of all"))) {
      for (int i = 0; i < 20; i++) {
        assertThat(runtime.namespace(namespace, Diary.class).getByName("d" + i).all())
            .isEqualTo(content.get(namespace + i));
      }
      String without = namespace.equals("tables") ? "pairs" : "tables";
      assertThat(runtime.namespace(without, Diary.class).list(ObjectListOptions.ALL).items())
          .isEmpty();
    }
    assertThat(directory).isDirectoryNotContaining("glob:**.selecting");
  }

  @Test
  void archiveMayBeginLater() {
    TreeMap<String, List<String>> last;
    RuntimeOptions none =
        RuntimeOptions.DEFAULT.withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0));
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory.resolve("data"),
            clock,
            objects -> objects.options(none).namespace("tables", Diary.class, DiaryObject::new))) {
      runtime.namespace("tables", Diary.class).getByName("d1").add("before");
    }
    try (ObjectRuntime runtime = open("data", archive())) {
      write(runtime, 1);
      last = contentOf(runtime);
    }
    assertThat(restored("later", new Latest())).isEqualTo(last);
  }
}
