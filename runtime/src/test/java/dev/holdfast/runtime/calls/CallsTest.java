package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectStub;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.errors.NamespaceException;
import dev.holdfast.errors.UncopyableValueException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallsTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void callReturnsWhatTheObjectReturns() throws Exception {
    assertThat(host.call("a", (self, _) -> "reply")).isEqualTo("reply");
  }

  @Test
  void objectRemembersBetweenCalls() throws Exception {
    host.call("a", (self, _) -> self.count = 41);

    assertThat(host.call("a", (self, _) -> ++self.count)).isEqualTo(42L);
  }

  @Test
  void objectsOfDifferentNamesAreDifferent() throws Exception {
    host.call("a", (self, _) -> self.count = 41);

    assertThat(host.call("b", (self, _) -> self.count)).isEqualTo(0L);
  }

  @Test
  void callToAnIdleObjectRunsOnTheCallersThread() throws Exception {
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    host.call(
        "a",
        (_, _) -> {
          ranOn.set(Thread.currentThread());
          return null;
        });

    assertThat(ranOn.get()).isSameAs(Thread.currentThread());
  }

  @Test
  void asynchronousCallRunsOnAThreadOfItsOwn() throws Exception {
    assertThat(host.async("a", (_, _) -> Thread.currentThread().isVirtual()).get()).isTrue();
  }

  @Test
  void exceptionOfTheObjectReachesTheCallerAsItIs() {
    IOException thrown = new IOException("thrown by the object");

    assertThatThrownBy(
            () ->
                host.call(
                    "a",
                    (_, _) -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
  }

  @Test
  void exceptionOfTheObjectLeavesItAlive() throws Exception {
    host.call("a", (self, _) -> self.count = 1);
    assertThatThrownBy(
        () ->
            host.call(
                "a",
                (_, _) -> {
                  throw new IOException("thrown by the object");
                }));

    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(1L);
  }

  @Test
  void asynchronousCallFailsWithTheExceptionOfTheObject() {
    assertThatThrownBy(
            () ->
                host.async(
                        "a",
                        (_, _) -> {
                          throw new IOException("thrown by the object");
                        })
                    .get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IOException.class);
  }

  @Test
  void resultIsACopy() throws Exception {
    host.call("a", (self, _) -> self.memory.put("list", new ArrayList<>(List.of(1))));
    @SuppressWarnings("unchecked")
    List<Object> copy = (List<Object>) host.call("a", (self, _) -> self.memory.get("list"));
    copy.add(2);

    assertThat(host.call("a", (self, _) -> self.memory.get("list"))).isEqualTo(List.of(1));
  }

  @Test
  void argumentIsACopy() throws Exception {
    try (Lists lists = new Lists()) {
      List<Object> mine = new ArrayList<>(List.of("kept"));
      lists.stub().keep(mine);
      mine.add("added later");

      assertThat(lists.stub().kept()).isEqualTo(List.of("kept"));
    }
  }

  @Test
  void argumentThatCannotBeCopiedIsRefusedWithItsPath() {
    try (Lists lists = new Lists()) {
      assertThatThrownBy(() -> lists.stub().keep(List.of("fine", new Object())))
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("argument 1")
          .hasMessageContaining("[1]")
          .hasMessageContaining("java.lang.Object");
    }
  }

  @Test
  void resultThatCannotBeCopiedIsRefused() {
    assertThatThrownBy(() -> host.call("a", (_, _) -> new Object()))
        .isInstanceOf(UncopyableValueException.class)
        .hasMessageContaining("result");
  }

  @Test
  void stubsOfOneObjectAreEqual() {
    assertThat(host.stub("a")).isEqualTo(host.stub("a")).isNotEqualTo(host.stub("b"));
    assertThat(host.stub("a").blocking())
        .isEqualTo(host.stub("a").blocking())
        .isNotEqualTo(host.stub("b").blocking())
        .hasToString("things/" + host.id("a"));
  }

  @Test
  void stubCrossesTheBorderOfAnObjectAsItIs() throws Exception {
    ObjectStub<Thing> other = host.stub("b");

    assertThat(host.call("a", (_, _) -> other)).isSameAs(other);
  }

  @Test
  void contextKnowsItsObject() throws Exception {
    assertThat(host.call("a", (_, context) -> context.namespace())).isEqualTo(Host.THINGS);
    assertThat(host.call("a", (_, context) -> context.id())).isEqualTo(host.id("a"));
    assertThat(host.call("a", (_, context) -> context.id().name().orElse(null))).isEqualTo("a");
  }

  @Test
  void storageRefusesAForeignThread() throws Exception {
    ObjectContext context = leakedContext();

    assertThatThrownBy(() -> context.storage().put("key", "value"))
        .isInstanceOf(MisuseException.class)
        .hasMessageContaining("things/" + host.id("a"));
    assertThatThrownBy(() -> context.async(() -> null)).isInstanceOf(MisuseException.class);
    assertThatThrownBy(() -> context.storage().sync()).isInstanceOf(MisuseException.class);
  }

  @Test
  void objectReachesOtherObjectsThroughItsContext() throws Exception {
    int script = host.number((_, _) -> "from b");

    assertThat(
            host.call(
                "a",
                (_, context) ->
                    context.namespace(Host.THINGS, Thing.class).getByName("b").run(script)))
        .isEqualTo("from b");
  }

  @Test
  void unknownNamespaceIsRefused() {
    assertThatThrownBy(() -> host.runtime.namespace("nothing", Thing.class))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("nothing")
        .hasMessageContaining(Host.THINGS);
    assertThatThrownBy(() -> host.runtime.namespace(Host.THINGS, Runnable.class))
        .isInstanceOf(NamespaceException.class)
        .hasMessageContaining("Runnable");
  }

  @Test
  void closedRuntimeRefusesCalls() {
    host.close();

    assertThatThrownBy(() -> host.call("a", (_, _) -> null))
        .isInstanceOf(RuntimeClosedException.class);
  }

  private ObjectContext leakedContext() throws Exception {
    AtomicReference<ObjectContext> leak = new AtomicReference<>();
    host.call(
        "a",
        (_, context) -> {
          leak.set(context);
          return null;
        });
    return leak.get();
  }
}
