package dev.holdfast.embedded.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.StorageKind;
import dev.holdfast.TimeSource;
import dev.holdfast.archive.ArchiveContent;
import dev.holdfast.archive.ArchiveEntry;
import dev.holdfast.archive.ArchiveOptions;
import dev.holdfast.archive.ArchiveStore;
import dev.holdfast.archive.DirectoryArchive;
import dev.holdfast.archive.RestoreRequest;
import dev.holdfast.archive.RestoreTarget;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.testkit.VirtualClock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data directory and store are lost at the same moment, while objects of both engines are used. */
final class ArchiveLossTest {

  private static final int PAYERS = 4;
  private static final int MOST_OPERATIONS = 90;
  private static final Duration INTERVAL = Duration.ofSeconds(4);

  /** Of the clock between two times of an interval. */
  private static final Duration STEP = INTERVAL.dividedBy(4);

  @TempDir Path directory;

  private final VirtualClock clock = new VirtualClock();

  /** Pays, and says how much was paid. */
  public interface Payer {

    /** Pays one to the receiver of the same name, and returns what was paid so far. */
    long pay();

    /** Returns what was paid so far. */
    long paid();
  }

  /** Receives. */
  public interface Receiver {

    /** Receives one. */
    void receive();

    /** Returns what was received so far. */
    long received();
  }

  private record PayerObject(ObjectContext context) implements Payer {

    @Override
    public long pay() {
      long paid = paid() + 1;
      context.storage().put("paid", paid);
      String name = context.id().name().orElseThrow();
      context.namespace("receivers", Receiver.class).getByName(name).receive();
      return paid;
    }

    @Override
    public long paid() {
      return context.storage().get("paid", Long.class).orElse(0L);
    }
  }

  private record ReceiverObject(ObjectContext context) implements Receiver {

    @Override
    public void receive() {
      context.storage().put("received", received() + 1);
    }

    @Override
    public long received() {
      return context.storage().get("received", Long.class).orElse(0L);
    }
  }

  /** Is lost after a number of operations. */
  private static final class LostStore implements ArchiveStore {
    private final ArchiveStore store;
    private final TimeSource time;
    private int left;
    private long lostNanos;

    LostStore(ArchiveStore store, int operations, TimeSource time) {
      this.store = store;
      this.left = operations;
      this.time = time;
    }

    /** {@return when it was lost} */
    synchronized long lostNanos() {
      return lostNanos;
    }

    synchronized boolean isLost() {
      return left < 0;
    }

    private synchronized void use() throws IOException {
      if (--left < 0) {
        lostNanos = left == -1 ? time.monotonicNanos() : lostNanos;
        throw new IOException("The store is lost");
      }
    }

    @Override
    public boolean putIfAbsent(String name, ArchiveContent content) throws IOException {
      use();
      return store.putIfAbsent(name, content);
    }

    @Override
    public @Nullable InputStream open(String name) throws IOException {
      use();
      return store.open(name);
    }

    @Override
    public List<ArchiveEntry> list(String prefix, String after, int limit) throws IOException {
      use();
      return store.list(prefix, after, limit);
    }

    @Override
    public void delete(String name) throws IOException {
      use();
      store.delete(name);
    }

    @Override
    public String toString() {
      return store.toString();
    }
  }

  private ObjectRuntime open(String data, RuntimeOptions options) {
    return Holdfast.open(
        directory.resolve(data),
        clock,
        objects ->
            objects
                .options(options)
                .namespace("payers", Payer.class, PayerObject::new)
                .namespace(
                    "receivers",
                    Receiver.class,
                    ReceiverObject::new,
                    NamespaceOptions.DEFAULT.withStorage(StorageKind.ROCKSDB)));
  }

  /**
   * An acknowledged payment.
   *
   * @param durable the durable end of the journal afterwards
   * @param nanos the time of the acknowledgement, or a later one
   */
  private record Paid(String payer, long sum, long durable, long nanos) {}

  @ParameterizedTest
  @ValueSource(ints = {4, 5, 9, 16, 31, 60, MOST_OPERATIONS})
  void restoredMoneyIsWholeAndNothingOlderThanTheIntervalIsMissing(int operations)
      throws Exception {
    LostStore store =
        new LostStore(new DirectoryArchive(directory.resolve("archive")), operations, clock);
    RuntimeOptions options =
        RuntimeOptions.DEFAULT.withArchive(
            ArchiveOptions.to(store).withInterval(INTERVAL).withBaseBytes(1));
    Queue<Paid> acknowledged = new ConcurrentLinkedQueue<>();
    long archived;
    try (ObjectRuntime runtime = open("data", options)) {
      List<Thread> payers = new ArrayList<>();
      for (int i = 0; i < PAYERS; i++) {
        String name = "payer " + i;
        payers.add(
            Thread.ofPlatform().start(() -> payUntilLost(runtime, name, store, acknowledged)));
      }
      while (!store.isLost()) {
        passInterval(runtime, store, acknowledged);
      }
      for (Thread payer : payers) {
        payer.join();
      }
      archived = runtime.statistics().archive().position();
    }
    delete(directory.resolve("data"));
    long safeNanos = store.lostNanos() - INTERVAL.toNanos();
    List<Paid> safe =
        acknowledged.stream()
            .filter(each -> each.durable() <= archived || each.nanos() < safeNanos)
            .toList();
    if (operations == MOST_OPERATIONS) {
      assertThat(safe).anyMatch(each -> each.nanos() < safeNanos);
    }
    if (archived == 0) {
      assertThat(safe).isEmpty(); // lost before the first chunk
      return;
    }

    assertThat(
            Holdfast.restore(
                    new DirectoryArchive(directory.resolve("archive")),
                    directory.resolve("restored"),
                    RestoreRequest.of(new RestoreTarget.Latest()))
                .position())
        .isGreaterThanOrEqualTo(archived);
    try (ObjectRuntime runtime = open("restored", RuntimeOptions.DEFAULT)) {
      for (Paid each : safe) {
        assertThat(payer(runtime, each.payer()).paid()).isGreaterThanOrEqualTo(each.sum());
        assertThat(receiver(runtime, each.payer()).received()).isGreaterThanOrEqualTo(each.sum());
      }
      for (int i = 0; i < PAYERS; i++) {
        String name = "payer " + i;
        long paid = payer(runtime, name).paid();
        // A payer writes before its receiver does, so a prefix has at most one payment on its way.
        assertThat(receiver(runtime, name).received()).isBetween(paid - 1, paid);
      }
    }
  }

  /**
   * Lets an interval pass, with payments at each of its times. The store takes no time: the clock
   * stands until it has what was durable at the end of the interval before.
   */
  private void passInterval(ObjectRuntime runtime, LostStore store, Queue<Paid> acknowledged) {
    long durable = 0;
    for (Duration at = Duration.ZERO; at.compareTo(INTERVAL) < 0; at = at.plus(STEP)) {
      int before = acknowledged.size();
      while (acknowledged.size() == before && !store.isLost()) {
        Thread.onSpinWait();
      }
      durable = runtime.statistics().journal().durablePosition();
      clock.advance(STEP);
    }
    while (runtime.statistics().archive().position() < durable && !store.isLost()) {
      Thread.onSpinWait();
    }
  }

  private void payUntilLost(
      ObjectRuntime runtime, String name, LostStore store, Queue<Paid> acknowledged) {
    while (!store.isLost()) {
      long sum = payer(runtime, name).pay();
      acknowledged.add(
          new Paid(
              name, sum, runtime.statistics().journal().durablePosition(), clock.monotonicNanos()));
    }
  }

  private static Payer payer(ObjectRuntime runtime, String name) {
    return runtime.namespace("payers", Payer.class).getByName(name);
  }

  private static Receiver receiver(ObjectRuntime runtime, String name) {
    return runtime.namespace("receivers", Receiver.class).getByName(name);
  }

  private static void delete(Path root) throws IOException {
    try (var files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
