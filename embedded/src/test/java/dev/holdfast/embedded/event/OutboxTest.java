package dev.holdfast.embedded.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.errors.ConsumerException;
import dev.holdfast.event.ConsumerOptions;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import dev.holdfast.event.Event;
import dev.holdfast.event.Subscription;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Events of both storage engines, on disk, across reopening, backup, archive and restores. */
final class OutboxTest {

  @TempDir Path directory;

  private final BlockingQueue<Long> got = new LinkedBlockingQueue<>();
  private final VirtualClock clock = new VirtualClock();

  private ObjectRuntime open(String data) {
    return open(data, RuntimeOptions.DEFAULT);
  }

  private ObjectRuntime open(String data, RuntimeOptions options) {
    return Runtimes.open(
        directory.resolve(data),
        clock,
        objects ->
            objects
                .options(options.withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0)))
                .namespace("tables", EmittingCounter.class, EmittingCounter::of)
                .namespace(
                    "pairs",
                    EmittingCounter.class,
                    EmittingCounter::of,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  private static EmittingCounter counter(ObjectRuntime runtime, String namespace) {
    return runtime.namespace(namespace, EmittingCounter.class).getByName("a");
  }

  private Subscription consume(ObjectRuntime runtime, String name) {
    return runtime.consume(
        EmittingCounter.TOPIC,
        name,
        Long.class,
        ConsumerOptions.DEFAULT,
        events -> events.stream().map(Event::value).forEach(got::add));
  }

  private List<Long> next(int count) throws InterruptedException {
    List<Long> taken = new ArrayList<>();
    while (taken.size() < count) {
      taken.add(got.take());
    }
    return taken;
  }

  @Test
  void consumerContinuesWhenTheRuntimeIsOpenedAgain() throws Exception {
    try (ObjectRuntime runtime = open("data")) {
      counter(runtime, "tables").increment();
      counter(runtime, "pairs").increment();
      consume(runtime, "index");
      counter(runtime, "tables").increment();
      counter(runtime, "pairs").repeat();
      assertThat(next(4)).containsExactly(1L, 1L, 2L, 1L);
    }
    try (ObjectRuntime runtime = open("data")) {
      counter(runtime, "tables").increment();
      consume(runtime, "index");
      counter(runtime, "pairs").increment();
      assertThat(next(2)).containsExactly(3L, 2L);
      ConsumerStatus status = runtime.admin().consumers().getFirst();
      assertThat(status.name()).isEqualTo("index");
    }
    assertThat(got).isEmpty();
  }

  @Test
  void backupHasTheEventsAndThePlaces() throws Exception {
    try (ObjectRuntime runtime = open("data")) {
      Subscription running = consume(runtime, "index");
      counter(runtime, "tables").increment();
      assertThat(next(1)).containsExactly(1L);
      running.close();
      counter(runtime, "tables").increment();
      runtime.backup(directory.resolve("backup"));
      counter(runtime, "tables").increment();
    }
    try (ObjectRuntime runtime = open("backup")) {
      consume(runtime, "index");
      assertThat(next(1)).containsExactly(2L);
      assertThat(counter(runtime, "tables").increment()).isEqualTo(3);
      assertThat(next(1)).containsExactly(3L);
    }
  }

  @Test
  void archiveHasTheEventsAndThePlaces() throws Exception {
    DirectoryArchive store = new DirectoryArchive(directory.resolve("archive"));
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(store).withLateMax(Duration.ofDays(365)));
    try (ObjectRuntime runtime = open("data", options)) {
      Subscription running = consume(runtime, "index");
      counter(runtime, "tables").increment();
      counter(runtime, "pairs").increment();
      assertThat(next(2)).containsExactly(1L, 1L);
      running.close();
      counter(runtime, "tables").increment();
    }
    Holdfast.restore(
        store, directory.resolve("restored"), RestoreRequest.of(new RestoreTarget.Latest()));
    try (ObjectRuntime runtime = open("restored")) {
      consume(runtime, "index");
      assertThat(next(1)).containsExactly(2L);
      consume(runtime, "all");
      assertThat(next(3)).containsExactly(1L, 1L, 2L);
    }
  }

  @Test
  void restoreOfAnObjectTakesNoEventBack() throws Exception {
    for (String namespace : List.of("tables", "pairs")) {
      try (ObjectRuntime runtime = open(namespace)) {
        EmittingCounter counter = counter(runtime, namespace);
        counter.increment();
        var id = runtime.namespace(namespace, EmittingCounter.class).idFromName("a");
        ObjectRecovery past = runtime.recovery(namespace, id);
        String bookmark = past.history(1).entries().getFirst().bookmark();
        counter.increment();
        counter.increment();
        runtime.admin().restoreNow(namespace, id, bookmark);
        assertThat(counter.get()).isEqualTo(1);
        assertThat(past.history(10).entries()).hasSize(4);
        counter.increment();
        runtime.admin().delete(namespace, id);
        consume(runtime, "index");
        assertThat(next(4)).containsExactly(1L, 2L, 3L, 2L);
      }
    }
  }

  /** Without history the journal drops what no view needs, but not what a consumer needs. */
  @Test
  void journalKeepsEventsForAConsumerUpToTheBound() throws Exception {
    RuntimeOptions bound = RuntimeOptions.DEFAULT.withOutboxBytesMax(0);
    try (ObjectRuntime runtime = openWithoutHistory("data", RuntimeOptions.DEFAULT)) {
      consume(runtime, "index").close();
      fill(runtime, 16);
    }
    try (ObjectRuntime runtime = openWithoutHistory("data", RuntimeOptions.DEFAULT)) {
      assertThat(runtime.admin().consumers().getFirst().isCutOff()).isFalse();
      Subscription running = consume(runtime, "index");
      assertThat(next(1)).containsExactly(1L);
      running.close();
    }
    try (ObjectRuntime runtime = openWithoutHistory("data", bound)) {
      runtime.admin().resetConsumer(EmittingCounter.TOPIC, "index", ConsumerStart.OLDEST);
      fill(runtime, 130);
    }
    got.clear();
    try (ObjectRuntime runtime = openWithoutHistory("data", bound)) {
      assertThat(runtime.admin().consumers().getFirst().isCutOff()).isTrue();
      assertThatThrownBy(() -> consume(runtime, "index"))
          .isInstanceOfSatisfying(
              ConsumerException.class,
              e -> assertThat(e.reason()).isEqualTo(ConsumerException.Reason.CUT_OFF));
      runtime.admin().resetConsumer(EmittingCounter.TOPIC, "index", ConsumerStart.NOW);
      consume(runtime, "index");
      long sum = counter(runtime, "tables").increment();
      assertThat(next(1)).containsExactly(sum);
    }
  }

  private ObjectRuntime openWithoutHistory(String data, RuntimeOptions options) {
    NamespaceOptions none = NamespaceOptions.DEFAULT.withRecoveryWindow(Duration.ZERO);
    return Runtimes.open(
        directory.resolve(data),
        clock,
        objects ->
            objects
                .options(options.withHealth(RuntimeOptions.DEFAULT.health().withDiskFreeMin(0, 0)))
                .namespace("tables", EmittingCounter.class, EmittingCounter::of, none)
                .namespace("large", Filler.class, Filler::of, none));
  }

  private static void fill(ObjectRuntime runtime, int count) {
    counter(runtime, "tables").increment();
    Filler filler = runtime.namespace("large", Filler.class).getByName("f");
    for (int each = 0; each < count; each++) {
      filler.put(each);
    }
  }

  /** Writes a megabyte each time. */
  public interface Filler {

    /** Writes. */
    void put(int seed);

    /** Creates the object. */
    static Filler of(ObjectContext context) {
      return seed -> {
        byte[] bytes = new byte[120_000];
        new SplittableRandom(seed).nextBytes(bytes);
        for (int key = 0; key < 8; key++) {
          context.storage().put("bytes" + key, bytes);
        }
      };
    }
  }
}
