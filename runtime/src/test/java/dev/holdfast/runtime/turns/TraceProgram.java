package dev.holdfast.runtime.turns;

import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing.Script;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.schedules.DeterministicScheduler.Body;
import dev.holdfast.spi.Journal;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.StorageBackend;
import dev.holdfast.spi.StoreTurn;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.WriteOptions;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A random program in a random schedule, both of one seed, and the trace of what happened: which
 * thread ran at each step, every call of the journal and the storage, every reply. Nothing in it
 * names a class of the engine, so two engines that do the same have the same trace. Threads change
 * where they park and at calls of journal and storage, not at every access of a field: an engine
 * with other fields has other schedules there.
 */
final class TraceProgram {

  private static final int OBJECTS = 3;
  private static final int DEPTH = 3;
  private static final int STEPS_MAX = 3;

  private final DeterministicScheduler scheduler;
  private final SplittableRandom random;
  private final List<String> events = new ArrayList<>();
  private final List<CompletableFuture<Object>> futures = new ArrayList<>();
  private final Host host;
  private int names;

  private TraceProgram(long seed) {
    this.scheduler = new DeterministicScheduler(seed);
    this.random = new SplittableRandom(seed * 31 + 7);
    InMemoryJournal journal =
        switch (random.nextInt(3)) {
          case 0 -> new InMemoryJournal(Durability.ON_WAIT, scheduler.clock());
          case 1 -> InMemoryJournal.withSyncTime(scheduler.clock(), Duration.ofMillis(1));
          default -> new InMemoryJournal(Durability.MANUAL, scheduler.clock());
        };
    this.host =
        Host.with()
            .scheduler(scheduler)
            .journal(journal)
            .seen(real -> seen(Journal.class, real), real -> seen(StorageBackend.class, real))
            .open();
  }

  /**
   * Runs the program of a seed.
   *
   * @param seed decides everything
   * @return what happened
   */
  static List<String> trace(long seed) {
    TraceProgram program = new TraceProgram(seed);
    try {
      program.run();
    } catch (RuntimeException | AssertionError e) {
      program.note("FAILED " + e);
    }
    List<String> trace = new ArrayList<>(program.events);
    trace.addAll(program.scheduler.trace());
    return trace;
  }

  private void note(String event) {
    events.add(Thread.currentThread().getName() + " " + event);
  }

  // ---- What is seen of journal and storage ------------------------------------------------

  private <T> T seen(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "toString" -> type.getSimpleName();
                  default -> wrapped(method, invoke(real, method, arguments));
                }));
  }

  private @Nullable Object invoke(Object real, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    boolean isEvent =
        switch (name) {
          case "durablePosition",
              "lastPosition",
              "failure",
              "needsProof",
              "mayHaveWritten",
              "sealedBytes",
              "statistics",
              "refusedObjects",
              "saveLagNanos",
              "catalog",
              "interrupt" ->
              false;
          default -> true;
        };
    if (isEvent) {
      note(name + (name.equals("awaitDurable") ? " " + arguments[0] : ""));
      Thread.yield();
    }
    try {
      Object result = method.invoke(real, arguments);
      if (name.equals("seal")) {
        note("sealed " + result);
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private @Nullable Object wrapped(Method method, @Nullable Object result) {
    return switch (result) {
      case ObjectStore store -> seen(ObjectStore.class, store);
      case StoreTurn turn -> seen(StoreTurn.class, turn);
      case null ->
          // As if the disk were needed.
          method.getName().equals("prefetch") ? (Runnable) Thread::yield : null;
      default -> result;
    };
  }

  // ---- The program ------------------------------------------------------------------------

  private void run() {
    List<Body> bodies = new ArrayList<>();
    List<Thread> callers = new ArrayList<>();
    for (int caller = 1 + random.nextInt(4); caller > 0; caller--) {
      List<Script<Object>> calls = new ArrayList<>();
      for (int call = 1 + random.nextInt(3); call > 0; call--) {
        calls.add(script(DEPTH));
      }
      boolean isTimed = random.nextInt(6) == 0;
      Body body =
          () -> {
            for (Script<Object> call : calls) {
              attempt(() -> callFromOutside(call, isTimed));
            }
            note("flag " + Thread.interrupted());
          };
      callers.add(scheduler.start("caller-" + caller, body));
    }
    for (int each = random.nextInt(3); each > 0; each--) {
      bodies.add(disturbance(callers));
    }
    bodies.add(() -> disk(callers));
    scheduler.run(bodies.toArray(Body[]::new));
    note("positions " + host.journal.lastPosition() + " " + host.journal.durablePosition());
    Body reads =
        () -> {
          for (int object = 0; object < OBJECTS; object++) {
            String name = name(object);
            attempt(() -> host.call(name, (self, context) -> self.count + " " + count(context)));
          }
        };
    Thread last = scheduler.start("last", reads);
    scheduler.run(() -> disk(List.of(last)));
    scheduler.run(
        () ->
            attempt(
                () -> {
                  host.close();
                  return "closed";
                }),
        () -> disk(List.of()));
    note("turns " + host.backend.openTurnCount());
  }

  private Object callFromOutside(Script<Object> script, boolean isTimed) throws Exception {
    String name = name(scheduler.choose(OBJECTS));
    return isTimed
        ? host.call(host.stub(name).withTimeout(Duration.ofMillis(2)), script)
        : host.call(name, script);
  }

  private static String name(int object) {
    return "object-" + object;
  }

  private interface Attempt {
    @Nullable Object run() throws Exception;
  }

  /** Notes a reply, or why there is none. */
  private void attempt(Attempt call) {
    try {
      note("reply " + call.run());
    } catch (Exception e) {
      note("reply " + describe(e));
      Thread.yield();
    }
  }

  private static String describe(Throwable failure) {
    return switch (failure) {
      case InstanceResetException e -> "reset " + e.writeOutcome();
      case ObjectCallTimeoutException e -> "timeout " + e.delivered();
      case MisuseException e -> "misuse " + e.reason();
      case CompletionException e when e.getCause() != null -> "late " + describe(e.getCause());
      default -> failure.getClass().getSimpleName();
    };
  }

  /** Makes the journal durable now and then, for a while and as long as somebody waits. */
  private void disk(List<Thread> callers) {
    for (int pause = 0; pause < 60 || (pause < 2_000 && isAnyAlive(callers)); pause++) {
      if (scheduler.choose(5) == 0) {
        makeDurable();
      }
      if (scheduler.choose(8) == 0) {
        List.copyOf(futures).forEach(each -> each.complete("done"));
      }
      Thread.yield();
    }
  }

  private static boolean isAnyAlive(List<Thread> threads) {
    return threads.stream().anyMatch(Thread::isAlive);
  }

  private void makeDurable() {
    try {
      host.journal.makeAllDurable();
    } catch (JournalFailedException e) {
      note("disk " + describe(e));
    }
  }

  private Body disturbance(List<Thread> callers) {
    int pause = random.nextInt(40);
    int what = random.nextInt(8);
    return () -> {
      for (int i = 0; i < pause; i++) {
        Thread.yield();
      }
      note("disturbance " + what);
      switch (what) {
        case 0, 1 -> callers.get(scheduler.choose(callers.size())).interrupt();
        case 2, 3 -> {
          host.backend.failInBackground(host.key(name(scheduler.choose(OBJECTS))));
          host.backend.heal();
        }
        case 4 -> scheduler.clock().advance(Duration.ofSeconds(12));
        case 5 -> host.journal.fail(new IOException("planned"));
        case 6 -> host.close();
        default -> scheduler.clock().advance(Duration.ofMillis(3));
      }
    };
  }

  // ---- What the objects do ----------------------------------------------------------------

  private Script<Object> script(int depth) {
    List<Script<Object>> steps = new ArrayList<>();
    for (int step = random.nextInt(STEPS_MAX + 1); step > 0; step--) {
      steps.add(step(depth));
    }
    int name = names++;
    return (self, context) -> {
      note("begin " + name + " of " + context.id().name().orElse("") + " " + self.count++);
      for (Script<Object> step : steps) {
        step.run(self, context);
      }
      note("end " + name);
      return (Object) name;
    };
  }

  private Script<Object> step(int depth) {
    int kind = random.nextInt(depth == 0 ? 12 : 21);
    Script<Object> inner = depth == 0 ? (_, _) -> 0 : script(depth - 1);
    String other = name(random.nextInt(OBJECTS));
    return switch (kind) {
      case 0, 1, 2 -> (_, context) -> increment(context, WriteOptions.DEFAULT);
      case 3 -> (_, context) -> increment(context, WriteOptions.DEFAULT.unconfirmed());
      case 4 -> (_, context) -> context.await(CompletableFuture.completedFuture(1));
      case 5 ->
          (_, context) -> {
            CompletableFuture<Object> future = new CompletableFuture<>();
            futures.add(future);
            return context.await(future);
          };
      case 6 ->
          (_, context) ->
              context.call(
                  () -> {
                    note("outside");
                    Thread.yield();
                    return 0;
                  });
      case 7 ->
          (_, context) -> {
            context.storage().sync();
            return 0;
          };
      case 8 ->
          (_, context) ->
              context.storage().get("count", Long.class, ReadOptions.DEFAULT.concurrent());
      case 9 ->
          (_, context) ->
              context.schedule(
                  Duration.ofMillis(scheduler.choose(3)),
                  () -> increment(context, WriteOptions.DEFAULT));
      case 10 ->
          (_, context) -> {
            switch (scheduler.choose(4)) {
              case 0 -> throw context.abort("planned");
              case 1 -> throw new IllegalStateException("planned");
              case 2 -> throw new OutOfMemoryError("planned");
              default -> Thread.yield();
            }
            return 0;
          };
      case 11 ->
          (_, _) -> {
            Thread.yield();
            return 0;
          };
      case 12, 13 -> (_, _) -> survived(() -> host.call(other, inner));
      case 14 ->
          (_, _) ->
              survived(() -> host.call(host.stub(other).withTimeout(Duration.ofMillis(1)), inner));
      case 15 ->
          (_, _) -> {
            int number = host.number(inner);
            return host.stub(other).async(thing -> thing.run(number));
          };
      case 16 ->
          (_, context) -> {
            int number = host.number(inner);
            CompletableFuture<Object> sent = host.stub(other).async(thing -> thing.run(number));
            return survived(() -> context.await(sent));
          };
      case 17 ->
          (self, context) ->
              survived(() -> context.await(context.async(() -> inner.run(self, context))));
      case 18 -> (self, context) -> context.blockConcurrencyWhile(() -> inner.run(self, context));
      case 19 ->
          (self, context) ->
              context
                  .storage()
                  .transaction(
                      txn -> {
                        txn.put("in", 1L);
                        return inner.run(self, context);
                      });
      default ->
          (self, context) -> {
            context.async(() -> inner.run(self, context));
            return 0;
          };
    };
  }

  private Object survived(Attempt work) throws Exception {
    try {
      return work.run();
    } catch (HoldfastException | CompletionException | IllegalStateException e) {
      note("survived " + describe(e));
      return 0;
    }
  }

  private static long count(ObjectContext context) {
    return context.storage().get("count", Long.class).orElse(0L);
  }

  private static long increment(ObjectContext context, WriteOptions options) {
    long next = count(context) + 1;
    Thread.yield();
    context.storage().put("count", next, options);
    return next;
  }
}
