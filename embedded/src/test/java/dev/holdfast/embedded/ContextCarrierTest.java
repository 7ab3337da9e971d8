package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.HeadersException;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What carriers take to where calls run, and calls on fresh threads. */
class ContextCarrierTest {

  /** The context of an application's thread. */
  private static final ThreadLocal<String> USER = ThreadLocal.withInitial(() -> "nobody");

  private static final ContextCarrier<String> CARRIER =
      new ContextCarrier<>() {
        @Override
        public String capture() {
          return USER.get();
        }

        @Override
        public Scope set(String value) {
          String before = USER.get();
          USER.set(value);
          return () -> USER.set(before);
        }
      };

  /** Reports what it sees of the caller. */
  public interface Seer {

    /** Returns the user on the thread. */
    String user();

    /** Returns the user, after another object was asked. */
    List<String> userThere(String other);

    /** Holds the object. */
    void hold();

    /** Starts a task and a timer, which note the user. */
    void start();

    /** Notes the user in a while. */
    void wake(Duration delay);
  }

  private final CountDownLatch held = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final List<String> noted = new CopyOnWriteArrayList<>();
  private final VirtualClock clock = new VirtualClock();

  @TempDir private Path directory;

  private final class SeerObject implements Seer, AlarmHandler {
    private final ObjectContext context;

    SeerObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public String user() {
      return USER.get();
    }

    @Override
    public List<String> userThere(String other) {
      String there = context.namespace("seers", Seer.class).getByName(other).user();
      context.await(CompletableFuture.completedFuture(1));
      return List.of(there, USER.get());
    }

    @Override
    public void hold() {
      held.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void start() {
      context.schedule(Duration.ofSeconds(1), () -> noted.add("timer " + USER.get()));
      context.await(context.async(() -> noted.add("task " + USER.get())));
    }

    @Override
    public void wake(Duration delay) {
      context.storage().setAlarm(context.clock().instant().plus(delay));
    }

    @Override
    public void alarm(AlarmInfo info) {
      noted.add("alarm " + USER.get());
    }
  }

  private ObjectRuntime open(Consumer<ObjectRegistrar> more) {
    return Runtimes.open(
        directory,
        clock,
        objects -> {
          objects.namespace("seers", Seer.class, SeerObject::new);
          more.accept(objects);
        });
  }

  private static ObjectNamespace<Seer> seers(ObjectRuntime runtime) {
    return runtime.namespace("seers", Seer.class);
  }

  private static <R> R as(String user, java.util.concurrent.Callable<R> code) throws Exception {
    String before = USER.get();
    USER.set(user);
    try {
      return code.call();
    } finally {
      USER.set(before);
    }
  }

  @Test
  void valueIsThereHoweverTheCallRuns() throws Exception {
    try (ObjectRuntime runtime = open(objects -> objects.carrier(CARRIER))) {
      Seer seer = seers(runtime).getByName("a");
      assertThat(as("ann", seer::user)).isEqualTo("ann");
      assertThat(as("ann", () -> seer.userThere("b"))).containsExactly("ann", "ann");
      assertThat(as("ann", () -> seers(runtime).stub("a").async(Seer::user)).join())
          .isEqualTo("ann");
      Seer patient = seers(runtime).stub("a").withTimeout(Duration.ofMinutes(1)).blocking();
      assertThat(as("ann", patient::user)).isEqualTo("ann");
    }
    assertThat(USER.get()).isEqualTo("nobody");
  }

  @Test
  void queuedCallsHaveTheirOwn() throws Exception {
    try (ObjectRuntime runtime = open(objects -> objects.carrier(CARRIER))) {
      CompletableFuture<Void> holder =
          CompletableFuture.runAsync(() -> seers(runtime).getByName("a").hold());
      held.await();
      List<CompletableFuture<String>> queued = new java.util.ArrayList<>();
      for (String user : List.of("ann", "bob", "eve")) {
        queued.add(as(user, () -> seers(runtime).stub("a").async(Seer::user)));
      }
      goOn.countDown();
      holder.join();
      assertThat(queued.stream().map(CompletableFuture::join)).containsExactly("ann", "bob", "eve");
    }
  }

  @Test
  void tasksAndTimersHaveThatOfTheirStartAndAlarmsNoneWithoutATextForm() throws Exception {
    try (ObjectRuntime runtime = open(objects -> objects.carrier(CARRIER))) {
      Seer seer = seers(runtime).getByName("a");
      as(
          "ann",
          () -> {
            seer.start();
            seer.wake(Duration.ofSeconds(2));
            return 0;
          });
      clock.advance(Duration.ofSeconds(3));
      seer.user(); // behind the timer
      assertThat(noted).containsExactly("task ann", "timer ann", "alarm nobody");
    }
  }

  private static final ContextCarrier<String> WITH_TEXT =
      new ContextCarrier<>() {
        @Override
        public String capture() {
          return USER.get();
        }

        @Override
        public Scope set(String value) {
          return CARRIER.set(value);
        }

        @Override
        public TextForm<String> textForm() {
          return new TextForm<>("user", user -> "u:" + user, text -> text.substring(2));
        }
      };

  /** The second process has the carrier again; the first alarm sets another one. */
  @Test
  void alarmHasWhatACarrierWithATextFormTookWhenItWasSet() throws Exception {
    try (ObjectRuntime runtime = open(objects -> objects.carrier(WITH_TEXT))) {
      as(
          "ann",
          () -> {
            seers(runtime).getByName("a").wake(Duration.ofSeconds(2));
            return 0;
          });
    }
    try (ObjectRuntime runtime = open(objects -> objects.carrier(WITH_TEXT))) {
      clock.advance(Duration.ofSeconds(3));
      seers(runtime).getByName("a").user(); // behind the alarm
      assertThat(noted).containsExactly("alarm ann");
    }
  }

  /** The caller has nothing that the carrier takes. */
  @Test
  void headerOfACallerIsNotTakenForTheValueOfACarrierInAnAlarm() throws Exception {
    ContextCarrier<String> known =
        new ContextCarrier<>() {
          @Override
          public @Nullable String capture() {
            return USER.get().equals("nobody") ? null : USER.get();
          }

          @Override
          public Scope set(String value) {
            return CARRIER.set(value);
          }

          @Override
          public TextForm<String> textForm() {
            return WITH_TEXT.textForm();
          }
        };
    try (ObjectRuntime runtime = open(objects -> objects.carrier(known))) {
      Headers forged = Headers.of("carried-user", "u:root").keep("carried-user");
      seers(runtime).stub("a").withHeaders(forged).blocking().wake(Duration.ofSeconds(2));
      clock.advance(Duration.ofSeconds(3));
      seers(runtime).getByName("a").user(); // behind the alarm
      assertThat(noted).containsExactly("alarm nobody");
    }
  }

  @Test
  void alarmThatWouldKeepTooMuchIsRefusedAndNothingChanges() throws Exception {
    try (ObjectRuntime runtime = open(objects -> objects.carrier(WITH_TEXT))) {
      Seer seer = seers(runtime).getByName("a");
      assertThatThrownBy(
              () ->
                  as(
                      "a".repeat(300),
                      () -> {
                        seer.wake(Duration.ofSeconds(2));
                        return 0;
                      }))
          .isInstanceOf(HeadersException.class)
          .hasMessageContaining("carried-user");
      clock.advance(Duration.ofSeconds(3));
      seer.user();
      assertThat(noted).isEmpty();
    }
  }

  @Test
  void actionsAndListenersHaveThatOfTheirTurn() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (ObjectRuntime runtime =
        open(
            objects ->
                objects
                    .namespace("others", Scripted.class, Scripted::withAlarm)
                    .carrier(CARRIER))) {
      runtime.subscribe("topic", String.class, _ -> seen.add("listener " + USER.get()));
      as(
          "ann",
          () ->
              Scripted.in(
                  runtime.namespace("others", Scripted.class).getByName("a"),
                  context -> {
                    context.afterDurable(() -> seen.add("action " + USER.get()));
                    context.publish("topic", "event");
                    return true;
                  }));
      assertThat(List.of(seen.take(), seen.take())).containsExactly("action ann", "listener ann");
    }
  }

  @Test
  void nothingIsSetForNothing() throws Exception {
    ContextCarrier<String> empty =
        new ContextCarrier<>() {
          @Override
          public @Nullable String capture() {
            return null;
          }

          @Override
          public Scope set(String value) {
            throw new AssertionError("there is nothing to set");
          }
        };
    try (ObjectRuntime runtime = open(objects -> objects.carrier(empty).carrier(CARRIER))) {
      assertThat(as("ann", seers(runtime).getByName("a")::user)).isEqualTo("ann");
    }
  }

  @Test
  void failureOfACarrierIsThatOfTheCallAndTheOthersAreRestored() throws Exception {
    ContextCarrier<String> broken =
        new ContextCarrier<>() {
          @Override
          public String capture() {
            return "x";
          }

          @Override
          public Scope set(String value) {
            throw new IllegalStateException("planned");
          }
        };
    try (ObjectRuntime runtime = open(objects -> objects.carrier(CARRIER).carrier(broken))) {
      Seer seer = seers(runtime).getByName("a");
      assertThatThrownBy(() -> as("ann", seer::user))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("planned");
    }
    assertThat(USER.get()).isEqualTo("nobody");
  }

  /** Object code that relies on its caller works by chance without this. */
  @Test
  void freshThreadsShowWhatReliesOnTheCaller() throws Exception {
    try (ObjectRuntime runtime = open(_ -> {})) {
      assertThat(as("ann", seers(runtime).getByName("a")::user)).isEqualTo("ann");
    }
    try (ObjectRuntime runtime = open(ObjectRegistrar::freshThreads)) {
      Seer seer = seers(runtime).getByName("a");
      assertThat(as("ann", seer::user)).isEqualTo("nobody");
      assertThat(as("ann", () -> seer.userThere("b"))).containsExactly("nobody", "nobody");
      assertThat(as("ann", () -> seers(runtime).stub("a").async(Seer::user)).join())
          .isEqualTo("nobody");
      assertThat(clock.pendingTimers()).as("no time-out").isLessThan(10);
    }
    try (ObjectRuntime runtime = open(objects -> objects.freshThreads().carrier(CARRIER))) {
      assertThat(as("ann", seers(runtime).getByName("a")::user)).isEqualTo("ann");
    }
  }

  /** Otherwise the stack of the failure begins on the thread of the call. */
  @Test
  void failureOfAnAsynchronousCallOnFreshThreadsHasTheStackOfItsCaller() {
    for (boolean isFresh : List.of(true, false)) {
      try (ObjectRuntime runtime = open(isFresh ? ObjectRegistrar::freshThreads : _ -> {})) {
        Throwable failure =
            seers(runtime)
                .stub("a")
                .async(
                    seer -> {
                      seer.wake(Duration.ofDays(-999_999));
                      return 0;
                    })
                .handle((_, e) -> e)
                .join();
        boolean hasCaller =
            Stream.of(failure.getSuppressed())
                .flatMap(each -> Stream.of(each.getStackTrace()))
                .anyMatch(
                    frame ->
                        frame
                            .getMethodName()
                            .startsWith("failureOfAnAsynchronousCallOnFreshThreads"));
        assertThat(hasCaller).as("fresh threads: " + isFresh).isEqualTo(isFresh);
      }
    }
  }

  @Test
  void timeOutsWorkOnFreshThreads() throws Exception {
    try (ObjectRuntime runtime = open(ObjectRegistrar::freshThreads)) {
      Seer patient = seers(runtime).stub("a").withTimeout(Duration.ofSeconds(1)).blocking();
      CompletableFuture<Void> call = CompletableFuture.runAsync(patient::hold);
      held.await();
      clock.advance(Duration.ofSeconds(2));
      assertThatThrownBy(call::join).hasCauseInstanceOf(ObjectCallTimeoutException.class);
      goOn.countDown();
    }
  }
}
