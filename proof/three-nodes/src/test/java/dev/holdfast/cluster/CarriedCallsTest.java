package dev.holdfast.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRegistrar;
import dev.holdfast.filter.ContextCarrier;
import dev.holdfast.filter.Headers;
import dev.holdfast.filter.HeadersException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A carrier with a text form takes its value along to objects of every node. */
final class CarriedCallsTest {

  private static final List<String> ALL = List.of("a", "b", "c");
  private static final ThreadLocal<@Nullable String> USER = new ThreadLocal<>();

  /** Names of headers that filters have seen. */
  private static final Set<String> SEEN = new ConcurrentSkipListSet<>();

  private static final ContextCarrier<String> CARRIER =
      new ContextCarrier<>() {
        @Override
        public @Nullable String capture() {
          return USER.get();
        }

        @Override
        public Scope set(String value) {
          String before = USER.get();
          USER.set(value);
          return () -> USER.set(before);
        }

        @Override
        public TextForm<String> textForm() {
          return new TextForm<>("user", text -> text, CarriedCallsTest::read);
        }
      };

  private static String read(String text) {
    if (text.equals("unreadable")) {
      throw new IllegalStateException("no such user");
    }
    return text;
  }

  interface Seer {
    String user();

    List<String> users(String other);
  }

  record SeerObject(ObjectContext context) implements Seer {
    @Override
    public String user() {
      return String.valueOf(USER.get());
    }

    @Override
    public List<String> users(String other) {
      String there = context.namespace("seers", Seer.class).getByName(other).user();
      return List.of(user(), there);
    }
  }

  @TempDir private static Path directory;
  private static ThreeNodes nodes;

  @BeforeAll
  static void open() throws Exception {
    nodes = ThreeNodes.open(directory, CarriedCallsTest::register);
  }

  @AfterAll
  static void close() {
    nodes.close();
  }

  private static void register(ObjectRegistrar objects) {
    objects
        .namespace("seers", Seer.class, SeerObject::new)
        .carrier(CARRIER)
        .filter(
            call -> {
              SEEN.addAll(call.headers().asMap().keySet());
              return call.proceed();
            });
  }

  private static void as(@Nullable String user, Runnable code) {
    USER.set(user);
    try {
      code.run();
    } finally {
      USER.remove();
    }
  }

  @Test
  void valueIsThereWhereverTheObjectIs() {
    for (String node : ALL) {
      var seers = nodes.get(node).namespace("seers", Seer.class);
      for (int i = 0; i < 6; i++) {
        Seer seer = seers.getByName("s" + i);
        String other = "s" + (i + 1) % 6;
        String text = "ann ".repeat(200) + "é" + node;
        as(text, () -> assertThat(seer.user()).isEqualTo(text));
        as(text, () -> assertThat(seer.users(other)).containsExactly(text, text));
        String name = "s" + i;
        AtomicReference<@Nullable CompletableFuture<String>> asynchronous = new AtomicReference<>();
        as(text, () -> asynchronous.set(seers.stub(name).async(Seer::user)));
        assertThat(Objects.requireNonNull(asynchronous.get()).join()).isEqualTo(text);
        as(null, () -> assertThat(seer.user()).isEqualTo("null"));
      }
    }
    assertThat(SEEN).isEmpty();
  }

  @Test
  void headerOfACallerIsNotTakenForTheValueOfACarrier() {
    Headers headers = Headers.of("carried-user", "root").with("trace", "1");
    Set<String> users = new TreeSet<>();
    for (String node : ALL) {
      users.add(
          nodes
              .get(node)
              .namespace("seers", Seer.class)
              .stub("s")
              .withHeaders(headers)
              .blocking()
              .user());
    }
    assertThat(users).containsExactly("null");
    SEEN.clear();
  }

  /** It has no carriers, so what it sends is what somebody has given it. */
  @Test
  void headerOfAClientIsNotTakenForTheValueOfACarrier() {
    Headers headers = Headers.of("carried-user", "root").with("trace", "1");
    SEEN.clear();
    try (ClusterClient client =
        ClusterHoldfast.connect(
            nodes.optionsOfClient("web"), objects -> objects.namespace("seers", Seer.class))) {
      var seers = client.namespace("seers", Seer.class);

      assertThat(seers.stub("s").withHeaders(headers).blocking().user()).isEqualTo("null");
      assertThat(SEEN).containsExactly("trace");
    }
    SEEN.clear();
  }

  @Test
  void valueThatCannotBeReadFailsTheCall() {
    int failed = 0;
    for (String node : ALL) { // two of them do not own the object
      Seer seer = nodes.get(node).namespace("seers", Seer.class).getByName("s");
      USER.set("unreadable");
      try {
        assertThat(seer.user()).isEqualTo("unreadable"); // on the node of the caller
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("no such user");
        failed++;
      } finally {
        USER.remove();
      }
      assertThat(seer.user()).isEqualTo("null");
    }
    assertThat(failed).isEqualTo(2);
    USER.set("long".repeat(Headers.BYTES_MAX / 4));
    try {
      assertThatThrownBy(
              () -> {
                for (String node : ALL) {
                  nodes.get(node).namespace("seers", Seer.class).getByName("s").user();
                }
              })
          .isInstanceOf(HeadersException.class);
    } finally {
      USER.remove();
    }
  }
}
