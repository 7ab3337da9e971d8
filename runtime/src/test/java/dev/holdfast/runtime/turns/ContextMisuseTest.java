package dev.holdfast.runtime.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.codec.TypeRef;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.RunningCall;
import dev.holdfast.sql.SqlStorage;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.MissedRuns;
import dev.holdfast.storage.ObjectSchedules;
import dev.holdfast.storage.ObjectStorage;
import dev.holdfast.storage.ReadOptions;
import dev.holdfast.storage.StorageTransaction;
import dev.holdfast.storage.WriteOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A context, and every object reached from it, can be used only in a turn of its instance. Calls
 * every method, so that a new one without the check fails here.
 */
final class ContextMisuseTest {

  /** They return the identity of the object, or something that checks by itself. */
  private static final Set<String> HARMLESS =
      Set.of("id", "namespace", "clock", "storage", "sql", "schedules");

  private static final Map<Class<?>, Object> ARGUMENTS =
      Map.ofEntries(
          Map.entry(String.class, "key"),
          Map.entry(Object.class, "value"),
          Map.entry(Object[].class, new Object[0]),
          Map.entry(Class.class, String.class),
          Map.entry(TypeRef.class, new TypeRef<List<String>>() {}),
          Map.entry(Collection.class, List.of("key")),
          Map.entry(Map.class, Map.of("key", "value")),
          Map.entry(ReadOptions.class, ReadOptions.DEFAULT),
          Map.entry(WriteOptions.class, WriteOptions.DEFAULT),
          Map.entry(ListOptions.class, ListOptions.ALL),
          Map.entry(Instant.class, Instant.EPOCH),
          Map.entry(Duration.class, Duration.ofMinutes(1)),
          Map.entry(ZoneId.class, ZoneOffset.UTC),
          Map.entry(MissedRuns.class, MissedRuns.values()[0]),
          Map.entry(Runnable.class, (Runnable) ContextMisuseTest::never),
          Map.entry(Callable.class, (Callable<?>) ContextMisuseTest::never),
          Map.entry(CompletionStage.class, CompletableFuture.completedFuture(null)),
          Map.entry(
              StorageTransaction.Closure.class,
              (StorageTransaction.Closure<?, ?>) _ -> ContextMisuseTest.never()),
          Map.entry(
              StorageTransaction.SyncClosure.class,
              (StorageTransaction.SyncClosure<?, ?>) ContextMisuseTest::never));

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  private static Object never() {
    throw new AssertionError("This ran outside of a turn.");
  }

  static Stream<Method> methods() {
    return Stream.of(
            ObjectContext.class, ObjectStorage.class, SqlStorage.class, ObjectSchedules.class)
        .flatMap(type -> Arrays.stream(type.getMethods()))
        .filter(method -> !HARMLESS.contains(method.getName()));
  }

  private static Object target(ObjectContext context, Class<?> type) {
    if (type.isInstance(context)) {
      return context;
    }
    if (type.isInstance(context.storage())) {
      return context.storage();
    }
    return type == SqlStorage.class ? context.storage().sql() : context.storage().schedules();
  }

  private static void invoke(ObjectContext context, Method method) throws Throwable {
    List<Class<?>> types = List.of(method.getParameterTypes());
    assertThat(ARGUMENTS.keySet()).as("arguments of " + method).containsAll(types);
    Object[] arguments = types.stream().map(ARGUMENTS::get).toArray();
    try {
      method.invoke(target(context, method.getDeclaringClass()), arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @ParameterizedTest
  @MethodSource("methods")
  void foreignThreadIsRefusedEvenWhileTheTurnRuns(Method method) throws Exception {
    host.call(
        "a",
        (_, context) -> {
          RunningCall foreign =
              new RunningCall(host.threads, () -> catchThrowable(() -> invoke(context, method)));
          assertThat(foreign.get())
              .isInstanceOfSatisfying(
                  MisuseException.class,
                  refusal -> {
                    assertThat(refusal.objectId()).isEqualTo(host.id("a").toString());
                    assertThat(refusal.reason()).isEqualTo(MisuseException.Reason.OUTSIDE_OF_TURN);
                  })
              .asString()
              .contains("only by the thread that runs the object's current turn");
          return null;
        });

    assertThat(host.journal.lastPosition()).as("batches").isZero();
  }

  @ParameterizedTest
  @MethodSource("methods")
  void contextOfAResetInstanceIsRefused(Method method) {
    CompletableFuture<ObjectContext> leak = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, context) -> {
                      leak.complete(context);
                      throw context.abort("enough");
                    }))
        .isInstanceOf(InstanceResetException.class);

    assertThatThrownBy(() -> invoke(leak.join(), method))
        .isInstanceOf(MisuseException.class)
        .hasMessageContaining("until the instance is reset or evicted");
    assertThat(host.journal.lastPosition()).as("batches").isZero();
  }
}
