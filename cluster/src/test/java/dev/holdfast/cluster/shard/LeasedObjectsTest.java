package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Consistency;
import dev.holdfast.NamespaceOptions;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.embedded.Holdfast;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects of a shard whose owner has a lease that does not end while a test runs. */
class LeasedObjectsTest {

  /** Keeps a text. */
  public interface Note {

    /** Writes the text. */
    void write(String text);

    /** Returns the text. */
    String read();

    /** Does work outside, and returns what came of it. */
    String ask();

    /** Returns the text of an object of another namespace. */
    String readOther(String namespace);
  }

  private record NoteObject(ObjectContext context) implements Note {

    @Override
    public void write(String text) {
      context.storage().put("text", text);
    }

    @Override
    public String read() {
      return context.storage().get("text", String.class).orElse("");
    }

    @Override
    public String ask() {
      try {
        return context.call(() -> "answer");
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String readOther(String namespace) {
      return context.namespace(namespace, Note.class).getByName("x").read();
    }
  }

  private static final String LEASED = "leased";
  private static final String PROVEN = "proven";

  @TempDir private Path directory;

  private LocalShard shard;
  private ObjectRuntime owner;

  @BeforeEach
  void open() throws InterruptedException {
    shard =
        new LocalShard(
            directory.resolve("shard"),
            objects -> {
              objects.namespace(PROVEN, Note.class, NoteObject::new);
              objects.namespace(
                  LEASED,
                  Note.class,
                  NoteObject::new,
                  NamespaceOptions.DEFAULT.withConsistency(Consistency.LEASE));
            });
    shard.lend(Duration.ofDays(1));
    owner = shard.own("a");
    note(LEASED).write("leased");
    note(PROVEN).write("proven");
  }

  @AfterEach
  void close() {
    shard.close();
  }

  private Note note(String namespace) {
    return owner.namespace(namespace, Note.class).getByName("x");
  }

  /** Makes a call while the owner hears of nothing, which must not be answered before it does. */
  private void assertWaits(Supplier<String> call, String answer) {
    CompletableFuture<String> reply = CompletableFuture.supplyAsync(call);
    while (!reply.isDone() && owner.statistics().journal().waiters() == 0) {
      Thread.onSpinWait();
    }
    assertThat(reply).isNotDone();
    shard.hold("a", false);
    assertThat(reply.join()).isEqualTo(answer);
  }

  @Test
  void readIsAnsweredByTheLease() {
    shard.hold("a", true);
    assertThat(note(LEASED).read()).isEqualTo("leased");
    assertThat(note(LEASED).readOther(PROVEN)).isEqualTo("proven");
    assertThat(owner.namespace(LEASED, Note.class).getByName("never written").read()).isEmpty();
    assertThat(owner.statistics().journal().waiters()).isZero();
    shard.hold("a", false);
  }

  @Test
  void readOfAnotherNamespaceWaitsForAProof() {
    shard.hold("a", true);
    assertWaits(() -> note(PROVEN).read(), "proven");
  }

  @Test
  void objectOfAnotherNamespaceThatAsksOneWaitsForAProof() {
    shard.hold("a", true);
    assertWaits(() -> note(PROVEN).readOther(LEASED), "leased");
  }

  @Test
  void writeWaitsForItsRecord() {
    shard.hold("a", true);
    assertWaits(
        () -> {
          note(LEASED).write("new");
          return note(LEASED).read();
        },
        "new");
  }

  @Test
  void workOutsideWaitsForAProof() {
    shard.hold("a", true);
    assertWaits(() -> note(LEASED).ask(), "answer");
  }

  @Test
  void nextOwnerAnswersAtOnceAfterARelease() throws InterruptedException {
    owner.close();
    owner = shard.own("b");
    note(LEASED).write("of b");
    shard.hold("b", true);
    assertThat(note(LEASED).read()).isEqualTo("of b");
    shard.hold("b", false);
  }

  @Test
  void singleMachineTakesTheOption() {
    try (ObjectRuntime alone =
        Holdfast.open(
            directory.resolve("alone"),
            objects ->
                objects.namespace(
                    LEASED,
                    Note.class,
                    NoteObject::new,
                    NamespaceOptions.DEFAULT.withConsistency(Consistency.LEASE)))) {
      Note note = alone.namespace(LEASED, Note.class).getByName("x");
      note.write("text");
      assertThat(note.read()).isEqualTo("text");
      assertThat(note.ask()).isEqualTo("answer");
    }
  }
}
