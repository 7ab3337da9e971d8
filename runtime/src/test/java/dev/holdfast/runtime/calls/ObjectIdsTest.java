package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectId;
import dev.holdfast.ObjectNamespace;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.StorageKind;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.runtime.EngineBuilder;
import dev.holdfast.testkit.InMemoryBackend;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.VirtualClock;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Case 62 of the reference's catalogue. */
class ObjectIdsTest {

  private final InMemoryJournal journal = new InMemoryJournal();
  private final ObjectRuntime runtime =
      new EngineBuilder(
              objects ->
                  objects
                      .namespace("mykey", Runnable.class, _ -> () -> {})
                      .namespace("otherkey", Runnable.class, _ -> () -> {}))
          .backend(StorageKind.SQLITE, new InMemoryBackend(journal))
          .open(journal, new VirtualClock(), new SplittableRandom(1));
  private final ObjectNamespace<Runnable> namespace = runtime.namespace("mykey", Runnable.class);

  @AfterEach
  void close() {
    runtime.close();
  }

  @Test
  void case62IdFromNameFollowsTheReferencesVectors() {
    assertThat(namespace.idFromName("http://foo/"))
        .hasToString("59002eb8cf872e541722977a258a12d6a93bbe8192b502e1c0cb250aa91af234");
    assertThat(namespace.idFromName("http://foo/bar"))
        .hasToString("02b496f65dd35cbac90e3e72dc5a398ee93926ea4a3821e26677082d2e6f9b79");
  }

  @Test
  void idFromStringReadsWhatToStringWrote() {
    ObjectId id = namespace.idFromName("name");

    assertThat(namespace.idFromString(id.toString())).isEqualTo(id);
    assertThat(namespace.idFromString(id.toString().toUpperCase(java.util.Locale.ROOT)))
        .isEqualTo(id);
  }

  @Test
  void case62IdFromStringRefusesWhatIsNotSixtyFourHexDigits() {
    for (String text : new String[] {"", "12", "zz".repeat(32), "0".repeat(63), "0".repeat(66)}) {
      assertThatThrownBy(() -> namespace.idFromString(text))
          .isInstanceOf(InvalidObjectIdException.class)
          .hasMessageStartingWith("Invalid Durable Object ID: must be 64 hex digits")
          .hasMessageContaining("idFromName");
    }
  }

  @Test
  void case62IdOfAnotherNamespaceIsRefused() {
    ObjectId other = runtime.namespace("otherkey", Runnable.class).idFromName("name");

    assertThatThrownBy(() -> namespace.idFromString(other.toString()))
        .isInstanceOf(InvalidObjectIdException.class)
        .hasMessageStartingWith("Durable Object ID is not valid for this namespace.")
        .hasMessageContaining("otherkey");
    assertThatThrownBy(() -> namespace.get(other)).isInstanceOf(InvalidObjectIdException.class);
  }

  @Test
  void onlyAnIdMadeFromANameKnowsIt() {
    ObjectId id = namespace.idFromName("name");

    assertThat(id.name()).hasValue("name");
    assertThat(namespace.idFromString(id.toString()).name()).isEmpty();
    assertThat(namespace.newUniqueId().name()).isEmpty();
  }

  @Test
  void uniqueIdsAreValidAndDifferent() {
    ObjectId first = namespace.newUniqueId();

    assertThat(namespace.newUniqueId()).isNotEqualTo(first);
    assertThat(namespace.idFromString(first.toString())).isEqualTo(first);
  }

  @Test
  void veryLongNameLeadsToAnObjectThatDoesNotKnowIt() {
    assertThat(namespace.idFromName("n".repeat(1_024)).name()).isPresent();
    assertThat(namespace.idFromName("n".repeat(1_025)).name()).isEmpty();
  }

  @Test
  void case62IdsAreEqualByTheirBytesAlone() {
    ObjectId named = namespace.idFromName("name");

    assertThat(ObjectId.of(named.toBytes(), null)).isEqualTo(named).hasSameHashCodeAs(named);
  }

  @Test
  void nameThatIsNoTextIsRefused() {
    // As bytes it would be "?x", the name of another object.
    assertThatIllegalArgumentException()
        .isThrownBy(() -> namespace.idFromName("\uD800x"))
        .withMessageContaining("surrogate at index 0");
    assertThat(namespace.idFromName("\uD83D\uDE00").name()).hasValue("\uD83D\uDE00");
  }
}
