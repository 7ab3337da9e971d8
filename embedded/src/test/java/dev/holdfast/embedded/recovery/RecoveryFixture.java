package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.InstanceResetException;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.embedded.Runtimes;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.recovery.ObjectRecovery;
import dev.holdfast.testkit.VirtualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.io.TempDir;

/** A runtime whose objects run the code of a test, with helpers for recovery tests. */
abstract class RecoveryFixture {

  /** {@return the storage engine under test} */
  abstract StorageKind storage();

  @TempDir Path directory;

  boolean constructorWrites;

  /** Runs code in an object. */
  record Anything(Scripted object) {

    <T> T run(Function<ObjectContext, T> code) {
      return Scripted.in(object, code);
    }
  }

  final ObjectRuntime open() {
    return open(NamespaceOptions.DEFAULT);
  }

  final ObjectRuntime open(NamespaceOptions options) {
    return Runtimes.open(directory, things(options));
  }

  final ObjectRuntime open(VirtualClock clock, NamespaceOptions options) {
    return Runtimes.open(directory, clock, things(options));
  }

  private Consumer<ObjectRegistrar> things(NamespaceOptions options) {
    return objects ->
        objects.namespace(
            "things",
            Scripted.class,
            context -> {
              if (constructorWrites) {
                context.storage().put("constructor", context.id().toString());
              }
              return Scripted.withAlarm(context);
            },
            options.withStorage(storage()));
  }

  static Anything thing(ObjectRuntime runtime, String name) {
    return new Anything(runtime.namespace("things", Scripted.class).getByName(name));
  }

  static String put(Anything thing, String key, Object value) {
    return thing.run(
        context -> {
          context.storage().put(key, value);
          return context.storage().getCurrentBookmark();
        });
  }

  static String get(Anything thing, String key) {
    return thing.run(context -> context.storage().get(key, String.class).orElse("none"));
  }

  static String restore(Anything thing, String bookmark) {
    String[] undo = new String[1];
    assertThatThrownBy(
            () ->
                thing.run(
                    context -> {
                      undo[0] = context.storage().onNextSessionRestoreBookmark(bookmark);
                      throw context.abort("to restore");
                    }))
        .isInstanceOf(InstanceResetException.class);
    return undo[0];
  }

  static String current(Anything thing) {
    return thing.run(context -> context.storage().getCurrentBookmark());
  }

  static NamespaceOptions window(int days) {
    return NamespaceOptions.DEFAULT
        .withRecoveryWindow(Duration.ofDays(days))
        .withIdleTimeout(Duration.ofDays(99));
  }

  static ObjectRecovery past(ObjectRuntime runtime, String name) {
    return runtime.recovery("things", runtime.namespace("things", Scripted.class).idFromName(name));
  }

  static Reason refusal(Anything thing, String bookmark) {
    return thing.run(
        context -> {
          try {
            context.storage().onNextSessionRestoreBookmark(bookmark);
            throw new AssertionError("taken");
          } catch (BookmarkException e) {
            return e.reason();
          }
        });
  }

  static Reason timeRefusal(Anything thing, Instant time) {
    return thing.run(
        context -> {
          try {
            context.storage().getBookmarkForTime(time);
            throw new AssertionError("taken");
          } catch (BookmarkException e) {
            return e.reason();
          }
        });
  }
}
