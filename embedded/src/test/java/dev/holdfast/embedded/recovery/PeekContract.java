package dev.holdfast.embedded.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectId;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Scripted;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.storage.ListOptions;
import dev.holdfast.storage.WriteOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Operators look into objects without running their code, the same on every storage engine. */
abstract class PeekContract extends RecoveryFixture {

  static ObjectId id(ObjectRuntime runtime, String name) {
    return runtime.namespace("things", Scripted.class).idFromName(name);
  }

  /** The constructor would write a key: what is read without one has run no code. */
  @Test
  void keysAndSizeAreReadWithoutTheCodeOfTheObject() {
    try (ObjectRuntime runtime = open()) {
      put(thing(runtime, "a"), "key:1", "one");
      put(thing(runtime, "a"), "key:2", "two");
    }
    constructorWrites = true;
    try (ObjectRuntime runtime = open()) {
      ObjectId id = id(runtime, "a");
      assertThat(runtime.admin().keys("things", id, ListOptions.ALL))
          .containsExactly("key:1", "key:2");
      assertThat(runtime.admin().keys("things", id, ListOptions.ALL.reversed().withLimit(1)))
          .containsExactly("key:2");
      assertThat(runtime.admin().keys("things", id, ListOptions.ALL.withPrefix("other"))).isEmpty();
      assertThat(runtime.admin().size("things", id)).isPositive();
    }
  }

  @Test
  void lookAtAnObjectThatDoesNotExistMakesNone() {
    try (ObjectRuntime runtime = open()) {
      ObjectId id = id(runtime, "never");
      assertThat(runtime.admin().keys("things", id, ListOptions.ALL)).isEmpty();
      assertThat(runtime.admin().tables("things", id)).isEmpty();
      assertThat(runtime.admin().size("things", id)).isZero();
      assertThat(runtime.admin().exists("things", id)).isFalse();
      assertThat(runtime.admin().versions("things")).isEmpty();
    }
  }

  @Test
  void writeThatIsNotConfirmedIsSeen() {
    try (ObjectRuntime runtime = open()) {
      thing(runtime, "a")
          .run(
              context -> {
                context.storage().put("key", "value", WriteOptions.DEFAULT.unconfirmed());
                return null;
              });
      assertThat(runtime.admin().keys("things", id(runtime, "a"), ListOptions.ALL))
          .containsExactly("key");
    }
  }

  @Test
  void lookFromInsideAnObjectIsRefused() {
    try (ObjectRuntime runtime = open()) {
      assertThatThrownBy(
              () -> thing(runtime, "a").<Object>run(context -> runtime.admin().versions("things")))
          .isInstanceOf(MisuseException.class)
          .hasMessageContaining("from outside");
      assertThatThrownBy(() -> runtime.admin().versions("none"))
          .isInstanceOf(NamespaceException.class);
    }
  }

  @Test
  void objectsWithoutMigrationsHaveTheEmptyVersion() {
    try (ObjectRuntime runtime = open(NamespaceOptions.DEFAULT)) {
      for (String name : List.of("a", "b", "c")) {
        put(thing(runtime, name), "key", "value");
      }
      assertThat(runtime.admin().versions("things")).containsOnlyKeys("").containsEntry("", 3L);
    }
  }
}
