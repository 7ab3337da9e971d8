package dev.holdfast.runtime.calls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectContext;
import dev.holdfast.errors.MisuseException;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Objects that call each other without end: calls are nested on one thread's stack. */
final class RecursionTest {

  private final Host host = Host.open();

  @AfterEach
  void close() {
    host.close();
  }

  @Test
  void chainOfAHundredCallsIsFine() throws Exception {
    assertThat(host.call("a", (self, context) -> chain(context, 100))).isEqualTo("end");
  }

  private Object chain(ObjectContext context, int calls) throws Exception {
    return calls == 1 ? "end" : host.call(other(context), (_, inner) -> chain(inner, calls - 1));
  }

  @Test
  void endlessCallsAreRefusedAndEveryObjectGoesOn() throws Exception {
    assertThatThrownBy(() -> host.call("a", this::callTheOther))
        .isInstanceOf(MisuseException.class)
        .hasMessageContaining("nested too deeply; at most 128");

    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(64L);
    assertThat(host.call("b", (self, _) -> self.count)).isEqualTo(64L);
  }

  @Test
  void endlessCallsOfAVirtualThreadAreRefusedToo() throws Exception {
    assertThat(host.start("a", this::callTheOther).failure()).isInstanceOf(MisuseException.class);
    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(64L);
  }

  @Test
  void endlessCallsWithATimeOutAreRefusedToo() throws Exception {
    assertThat(host.start("a", this::callTheOtherInTime).failure())
        .isInstanceOf(MisuseException.class);
    assertThat(host.call("a", (self, _) -> self.count)).isEqualTo(64L);
  }

  private Object callTheOther(Thing.State self, ObjectContext context) throws Exception {
    self.count++;
    context.storage().put("count", self.count);
    return host.call(other(context), this::callTheOther);
  }

  private Object callTheOtherInTime(Thing.State self, ObjectContext context) throws Exception {
    self.count++;
    return host.call(
        host.stub(other(context)).withTimeout(Duration.ofHours(1)), this::callTheOtherInTime);
  }

  private String other(ObjectContext context) {
    return context.id().equals(host.id("a")) ? "b" : "a";
  }
}
