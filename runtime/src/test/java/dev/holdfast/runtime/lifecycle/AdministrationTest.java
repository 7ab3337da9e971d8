package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectAdmin;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.StorageFailedException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Body;
import dev.holdfast.schedules.DeterministicScheduler.Scenario;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.PointInTimeRecovery.RequestedRestore;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Operations on single objects for operators, in the engine; see {@code AdminContract} of {@code
 * embedded}.
 */
class AdministrationTest {

  private Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  private ObjectAdmin admin() {
    return host.runtime.admin();
  }

  private static Object put(ObjectContext context) {
    context.storage().put("key", 1L);
    return 1L;
  }

  private static Object get(ObjectContext context) {
    return context.storage().get("key", Long.class).orElse(0L);
  }

  @Test
  void objectWithoutDataDoesNotExistAndItsDeletionWritesNothing() throws Exception {
    host.call("a", (self, _) -> ++self.count);
    long end = host.journal.lastPosition();

    assertThat(admin().exists(Host.THINGS, host.id("a"))).isFalse();
    assertThat(admin().delete(Host.THINGS, host.id("a"))).isFalse();
    assertThat(admin().delete(Host.THINGS, host.id("never called"))).isFalse();

    assertThat(host.journal.lastPosition()).isEqualTo(end);
  }

  @Test
  void deletionCoversUnconfirmedWrites() throws Exception {
    host.call(
        "a",
        (_, context) -> {
          context.storage().put("key", 1L, WriteOptions.DEFAULT.unconfirmed());
          return null;
        });

    assertThat(admin().delete(Host.THINGS, host.id("a"))).isTrue();

    assertThat(host.call("a", (_, context) -> get(context))).isEqualTo(0L);
    assertThat(admin().exists(Host.THINGS, host.id("a"))).isFalse();
  }

  @Test
  void evictionTakesOnlyIdleObjectsOutOfMemory() throws Exception {
    host.call("a", (self, _) -> ++self.count);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch runs = new CountDownLatch(1);
    RunningCall busy =
        host.start(
            "busy",
            (_, _) -> {
              runs.countDown();
              mayEnd.await();
              return 0;
            });
    runs.await();
    host.call("timer", (_, context) -> context.schedule(Duration.ofDays(1), () -> {}) != null);

    assertThat(admin().evict(Host.THINGS, host.id("a"))).isTrue();
    assertThat(admin().evict(Host.THINGS, host.id("busy"))).isFalse();
    assertThat(admin().evict(Host.THINGS, host.id("timer"))).isFalse();
    assertThat(admin().evict(Host.THINGS, host.id("not in memory"))).isTrue();

    assertThat(host.call("a", (self, _) -> ++self.count)).isEqualTo(1L);
    mayEnd.countDown();
    busy.get();
  }

  @Test
  void resetFailsCallsInFlightAndKeepsWhatWasSealed() throws Exception {
    host.call("a", (_, context) -> put(context));
    RunningCall waiting =
        host.start("a", (_, context) -> context.await(new CompletableFuture<Object>()))
            .awaitParked();

    assertThat(admin().reset(Host.THINGS, host.id("a"))).isTrue();

    assertThat(waiting.failure())
        .isInstanceOf(InstanceResetException.class)
        .hasMessageContaining("operator");
    assertThat(host.call("a", (_, context) -> get(context))).isEqualTo(1L);
    assertThat(admin().reset(Host.THINGS, host.id("not in memory"))).isFalse();
  }

  @Test
  void fullQueueDoesNotKeepAnOperatorOut() throws Exception {
    host.close();
    host = Host.with().namespace(NamespaceOptions.DEFAULT.withQueueLengthMax(1)).open();
    host.call("a", (_, context) -> put(context));
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch runs = new CountDownLatch(1);
    RunningCall busy =
        host.start(
            "a",
            (_, _) -> {
              runs.countDown();
              mayEnd.await();
              return 0;
            });
    runs.await();
    host.start("a", (_, _) -> 0).awaitParked();
    RunningCall deletion =
        host.start(() -> admin().delete(Host.THINGS, host.id("a"))).awaitParked();
    mayEnd.countDown();

    assertThat(deletion.get()).isEqualTo(true);
    assertThat(busy.failure()).isInstanceOf(InstanceResetException.class);
  }

  @Test
  void errorsAreTyped() throws Exception {
    ObjectId id = host.id("a");
    ObjectId foreign = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], null);
    assertThatThrownBy(() -> admin().exists("nobody", id)).isInstanceOf(NamespaceException.class);
    assertThatThrownBy(() -> admin().evict(Host.THINGS, foreign))
        .isInstanceOf(InvalidObjectIdException.class);
    assertThatThrownBy(() -> admin().restoreNow(Host.THINGS, id, "bookmark"))
        .isInstanceOf(BookmarkException.class);
    assertThatThrownBy(() -> host.call("a", (_, _) -> admin().delete(Host.THINGS, id)))
        .isInstanceOf(MisuseException.class)
        .hasMessageContaining("[object things/" + id + "]");
    host.runtime.close();
    for (Body use :
        new Body[] {
          () -> admin().exists(Host.THINGS, id),
          () -> admin().evict(Host.THINGS, id),
          () -> admin().reset(Host.THINGS, id),
          () -> admin().delete(Host.THINGS, id),
          () -> admin().restoreNow(Host.THINGS, id, "bookmark")
        }) {
      assertThatThrownBy(use::run).isInstanceOf(RuntimeClosedException.class);
    }
  }

  @Test
  void deletionFailsWithTheJournal() throws Exception {
    host.call("a", (_, context) -> put(context));
    host.journal.fail(new IOException("planned"));

    assertThatThrownBy(() -> admin().delete(Host.THINGS, host.id("a")))
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(JournalFailedException.class),
            e ->
                assertThat(e)
                    .isInstanceOf(InstanceResetException.class)
                    .hasRootCauseMessage("planned"));
  }

  @Test
  void restoreThatFailsIsWithdrawnAndReported() throws Exception {
    for (RuntimeException failure :
        List.of(
            new StorageFailedException(Host.THINGS, host.id("a"), "planned", null),
            new IllegalStateException("planned"))) {
      AtomicBoolean requested = new AtomicBoolean();
      host.close();
      host = Host.with().recovery(failingRestores(requested, failure)).open();
      host.call("a", (_, context) -> put(context));

      assertThatThrownBy(() -> admin().restoreNow(Host.THINGS, host.id("a"), "bookmark"))
          .isInstanceOf(StorageFailedException.class)
          .hasMessageContaining("planned")
          .hasCause(failure);

      assertThat(requested).isFalse();
      assertThat(host.call("a", (_, context) -> get(context))).isEqualTo(1L);
    }
  }

  private static PointInTimeRecovery failingRestores(
      AtomicBoolean requested, RuntimeException failure) {
    PointInTimeRecovery rest = Host.noRecovery();
    return (PointInTimeRecovery)
        Proxy.newProxyInstance(
            PointInTimeRecovery.class.getClassLoader(),
            new Class<?>[] {PointInTimeRecovery.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "requestRestore" -> {
                    requested.set(true);
                    yield new RequestedRestore("undo", Journal.START);
                  }
                  case "isRestorePending" -> requested.get();
                  case "restore" -> throw failure;
                  case "withdrawRestore" -> {
                    requested.set(false);
                    yield Journal.START;
                  }
                  default -> method.invoke(rest, arguments);
                });
  }

  private static final int SCHEDULES =
      "long".equals(System.getProperty("holdfast.tests")) ? 10_000 : 100;

  @Test
  void deletionsAndResetsRaceWithCallsEvictionsAndTheClose() {
    DeterministicScheduler.exploreInterleavings(SCHEDULES, Races.class, "dev.holdfast.runtime.");
  }

  static final class Races implements Scenario {
    @Override
    public void run(DeterministicScheduler scheduler) throws Exception {
      Host host =
          Host.with()
              .scheduler(scheduler)
              .journal(new InMemoryJournal(Durability.ON_WAIT, scheduler.clock()))
              .open();
      ObjectAdmin admin = host.runtime.admin();
      ObjectId id = host.id("a");
      AtomicInteger deletions = new AtomicInteger();
      AtomicInteger written = new AtomicInteger();
      Body writer =
          survived(
              () -> {
                for (int i = 0; i < 2; i++) {
                  host.call("a", (_, context) -> put(context));
                  written.incrementAndGet();
                }
              });
      Body deletion =
          survived(
              () -> {
                if (admin.delete(Host.THINGS, id)) {
                  deletions.incrementAndGet();
                }
              });
      boolean closes = scheduler.choose(2) == 0;
      scheduler.run(
          writer,
          deletion,
          survived(() -> admin.reset(Host.THINGS, id)),
          closes ? host::close : survived(() -> admin.evict(Host.THINGS, id)));
      if (!closes) {
        scheduler.run(
            () -> {
              Object value = host.call("a", (_, context) -> get(context));
              assertThat(value.equals(1L)).isEqualTo(admin.exists(Host.THINGS, id));
              if (deletions.get() == 0 && written.get() > 0) {
                assertThat(value).isEqualTo(1L);
              }
            },
            () -> {});
        scheduler.run(
            () -> {
              admin.delete(Host.THINGS, id);
              assertThat(host.call("a", (_, context) -> get(context))).isEqualTo(0L);
              assertThat(admin.exists(Host.THINGS, id)).isFalse();
            });
        scheduler.run(host::close);
      }
    }

    private static Body survived(Body body) {
      return () -> {
        try {
          body.run();
        } catch (InstanceResetException | RuntimeClosedException e) {
          assertThat(e).hasMessageNotContaining("storage failed");
        }
      };
    }
  }
}
