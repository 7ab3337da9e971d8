package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectFactory;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.StorageLimitException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.storage.StorageLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ObjectErrorsTest {

  @TempDir private Path directory;

  @Test
  void namespaceRegisteredTwiceIsRefusedAndNothingIsMade() {
    Path data = directory.resolve("data");

    assertThatThrownBy(
            () ->
                Holdfast.open(
                    data,
                    objects ->
                        objects
                            .namespace("twins", Probe.class, context -> argument -> null)
                            .namespace("twins", Probe.class, context -> argument -> null)))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("twins");
    assertThat(data).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "no blank", "-front", "../up", "ümlaut", "catalog.sqlite", "image-1.SQLITE"})
  void malformedNamespaceIsRefused(String name) {
    assertThatThrownBy(
            () ->
                Holdfast.open(
                    directory.resolve("data"),
                    objects -> objects.namespace(name, Probe.class, context -> argument -> null)))
        .isInstanceOf(NamespaceException.class)
        .satisfies(e -> assertThat(((NamespaceException) e).namespace()).isEqualTo(name));
  }

  /** On some file systems their objects would be in one directory. */
  @Test
  void namespacesThatDifferInCaseAloneAreRefused() {
    assertThatThrownBy(
            () ->
                Holdfast.open(
                    directory.resolve("data"),
                    objects ->
                        objects
                            .namespace("twins", Probe.class, context -> argument -> null)
                            .namespace("Twins", Probe.class, context -> argument -> null)))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("upper and lower case");
  }

  @Test
  void namespaceOfAClassIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Holdfast.open(
                    directory.resolve("data"),
                    objects -> objects.namespace("strings", String.class, context -> "one")))
        .withMessageContaining("interface");
  }

  /** It would be refused at the first call, after the object's code has run. */
  @ParameterizedTest
  @ValueSource(classes = {Iterable.class, ExecutorService.class})
  void interfaceWithAResultThatCannotLeaveIsRefusedAtOnce(Class<?> type) {
    Path data = directory.resolve("data");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Holdfast.open(data, objects -> objects.namespace("live", type, never())))
        .withMessageContaining(type.getName())
        .withMessageContaining("ObjectStub.async");
    assertThat(data).doesNotExist();
  }

  @Test
  void interfaceWithAnArgumentThatCannotBeReadIsRefusedAtOnce() {
    Path data = directory.resolve("data");

    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                Holdfast.open(
                    data, objects -> objects.namespace("live", CharSequence.class, never())))
        .withMessageContaining(CharSequence.class.getName())
        .withMessageContaining("argument 3");
    assertThat(data).doesNotExist();
  }

  private static <T> ObjectFactory<T> never() {
    return _ -> {
      throw new AssertionError("made");
    };
  }

  @Test
  void nullIsNamedWhereAKeyOrANameIsMissing() {
    try (ObjectRuntime runtime =
        Probe.open(directory, (context, _) -> context.storage().get(none(), Long.class))) {
      assertThatNullPointerException()
          .isThrownBy(() -> Probe.in(runtime).run(null))
          .withMessageContaining("key");
      assertThatNullPointerException()
          .isThrownBy(() -> runtime.namespace(Probe.NAMESPACE, Probe.class).getByName(none()))
          .withMessageContaining("name of an object");
    }
  }

  /** A null that the compiler does not detect, as from callers without null checks. */
  @SuppressWarnings("NullAway")
  private static String none() {
    return null;
  }

  @Test
  void unknownNamespaceIsNamed() {
    try (ObjectRuntime runtime = Probe.open(directory, (context, argument) -> null)) {
      assertThatThrownBy(() -> runtime.namespace("unknown", Probe.class))
          .isInstanceOf(NamespaceException.class)
          .hasMessageContaining("unknown");
    }
  }

  @Test
  void namespaceWithAnotherInterfaceIsRefused() {
    try (ObjectRuntime runtime = Probe.open(directory, (context, argument) -> null)) {
      assertThatThrownBy(() -> runtime.namespace(Probe.NAMESPACE, Runnable.class))
          .isInstanceOf(NamespaceException.class)
          .hasMessageContaining(Probe.class.getName());
    }
  }

  @Test
  void closedRuntimeRefusesCalls() {
    ObjectRuntime runtime = Probe.open(directory, (context, argument) -> null);
    Probe probe = Probe.in(runtime);
    runtime.close();

    assertThatThrownBy(() -> probe.run(null)).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(() -> Probe.in(runtime).run(null))
        .isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void closingTwiceDoesNothing() {
    ObjectRuntime runtime = Probe.open(directory, (context, argument) -> null);

    runtime.close();
    runtime.close();

    Probe.open(directory, (context, argument) -> null).close();
  }

  @Test
  void keyOverTheLimitIsRefusedAndTheOneAtTheLimitIsStored() {
    String longest = "ä".repeat(StorageLimits.KEY_BYTES_MAX / 2);

    assertRefusedInside(
        StorageLimitException.class, context -> context.storage().put(longest + "x", 1L), "2048");
    assertStoredInside(context -> context.storage().put(longest, 1L));
  }

  @Test
  void valueOverTheLimitIsRefusedAndTheOneAtTheLimitIsStored() {
    byte[] largest = new byte[StorageLimits.VALUE_BYTES_MAX];

    assertRefusedInside(
        StorageLimitException.class,
        context -> context.storage().put("key", new byte[largest.length + 35]),
        "131072");
    assertStoredInside(context -> context.storage().put("key", largest));
  }

  @Test
  void pairsOverTheLimitAreRefusedAltogether() {
    Map<String, Long> pairs = new TreeMap<>();
    IntStream.rangeClosed(0, StorageLimits.KEYS_MAX)
        .forEach(index -> pairs.put("key-" + index, 1L));

    assertRefusedInside(
        StorageLimitException.class, context -> context.storage().put(pairs), "128");
  }

  @Test
  void oneBadPairOfSeveralKeepsTheOthersOut() {
    assertRefusedInside(
        UncopyableValueException.class,
        context ->
            context.storage().put(new TreeMap<>(Map.of("a", 1L, "b", Thread.currentThread()))),
        "Thread");
  }

  @Test
  void argumentThatCannotBeCopiedIsNamedByItsPath() {
    AtomicInteger runs = new AtomicInteger();
    try (ObjectRuntime runtime =
        Probe.open(directory, (context, argument) -> runs.incrementAndGet())) {
      Probe probe = Probe.in(runtime);
      Object argument = Map.of("items", List.of(1L, Map.of("owner", new Thread())));

      assertThatThrownBy(() -> probe.run(argument))
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("argument 1")
          .hasMessageContaining("items")
          .hasMessageContaining("owner")
          .hasMessageContaining("java.lang.Thread");
      assertThat(runs).hasValue(0);
    }
  }

  @Test
  void contextUsedByAForeignThreadIsRefused() {
    Throwable failure =
        failureInside(
            context -> CompletableFuture.runAsync(() -> context.storage().put("key", 1L)).join());

    assertThat(failure).hasRootCauseInstanceOf(MisuseException.class);
  }

  @Test
  void contextUsedAfterItsTurnIsRefused() {
    AtomicReference<@Nullable ObjectContext> leaked = new AtomicReference<>();
    try (ObjectRuntime runtime =
        Probe.open(
            directory,
            (context, argument) -> {
              leaked.set(context);
              return null;
            })) {
      Probe.in(runtime).run(null);

      ObjectContext context = Objects.requireNonNull(leaked.get());
      assertThatThrownBy(() -> context.storage().put("key", 1L))
          .isInstanceOf(MisuseException.class)
          .hasMessageContaining(Probe.NAMESPACE);
    }
  }

  @Test
  void failedConstructorFailsItsCallersAndTheNextCallTriesAgain() {
    AtomicInteger tries = new AtomicInteger();
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            objects ->
                objects.namespace(
                    Probe.NAMESPACE,
                    Probe.class,
                    context -> {
                      context.storage().put("tries", (long) tries.incrementAndGet());
                      if (tries.get() == 1) {
                        throw new IllegalStateException("not today");
                      }
                      return argument -> context.storage().get("tries", Long.class).orElseThrow();
                    }))) {
      Probe probe = Probe.in(runtime);

      InstanceResetException failure =
          catchThrowableOfType(InstanceResetException.class, () -> probe.run(null));

      assertThat(failure).hasRootCauseMessage("not today");
      assertThat(failure.writeOutcome()).isEqualTo(WriteOutcome.NOT_WRITTEN);
      assertThat(probe.run(null)).isEqualTo(2L);
    }
  }

  @Test
  void errorOfAnObjectNamesNamespaceAndId() {
    try (ObjectRuntime runtime =
        Probe.open(
            directory,
            (context, argument) -> {
              throw context.abort("enough");
            })) {
      String id = runtime.namespace(Probe.NAMESPACE, Probe.class).idFromName("one").toString();

      assertThatThrownBy(() -> Probe.in(runtime).run(null))
          .isInstanceOf(InstanceResetException.class)
          .hasMessageContaining("enough")
          .hasMessageContaining(Probe.NAMESPACE + "/" + id);
    }
  }

  /** The write throws, and the object keeps its earlier writes. */
  private void assertRefusedInside(
      Class<? extends Throwable> type, Write write, String partOfMessage) {
    Throwable failure =
        failureInside(
            context -> {
              context.storage().put("before", 1L);
              Throwable thrown = catchThrowable(() -> write.run(context));
              assertThat(context.storage().list(Object.class)).containsOnlyKeys("before");
              throw new Carrier(thrown);
            });

    assertThat(failure)
        .isInstanceOf(Carrier.class)
        .cause()
        .isInstanceOf(type)
        .hasMessageContaining(partOfMessage)
        .hasMessageContaining(Probe.NAMESPACE + "/");
    assertStoredInside(
        context -> assertThat(context.storage().list(Object.class)).containsOnlyKeys("before"));
  }

  private void assertStoredInside(Write write) {
    assertThat(failureInside(write)).isNull();
  }

  private @Nullable Throwable failureInside(Write write) {
    try (ObjectRuntime runtime =
        Probe.open(
            directory,
            (context, argument) -> {
              write.run(context);
              return null;
            })) {
      return catchThrowable(() -> Probe.in(runtime).run(null));
    }
  }

  @FunctionalInterface
  private interface Write {
    void run(ObjectContext context);
  }

  /** Returns a failure from the object unchanged. */
  private static final class Carrier extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Carrier(Throwable cause) {
      super(cause);
    }
  }
}
