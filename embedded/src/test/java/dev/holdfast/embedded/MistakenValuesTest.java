package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.alarm.AlarmHandler;
import dev.holdfast.alarm.AlarmInfo;
import dev.holdfast.errors.UncopyableValueException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values and instances that are mistakes: what the error says to do. */
final class MistakenValuesTest {

  /** Objects of the tests. */
  public interface Box {

    /** Stores its own stub. */
    void keepStub();

    /** Stores its own id, in a list. */
    void keepId();

    /** Takes a list of anything. */
    int take(List<Object> values);

    /** Stores null, and returns what get and list have. */
    String storeNull();

    /** Sets an alarm without a time. */
    void remind();

    /** Counts its calls. */
    int count();
  }

  static final class BoxObject implements Box, AlarmHandler {

    private final ObjectContext context;
    private int calls;

    BoxObject(ObjectContext context) {
      this.context = context;
    }

    @Override
    public void keepStub() {
      context.storage().put("stub", context.namespace("boxes", Box.class).get(context.id()));
    }

    @Override
    public void keepId() {
      context.storage().put("ids", List.of(context.id()));
    }

    @Override
    public int take(List<Object> values) {
      return values.size();
    }

    @Override
    @SuppressWarnings("NullAway") // what an application without checks may do
    public String storeNull() {
      context.storage().put("nothing", null);
      Map<String, ?> all = context.storage().list(Object.class);
      return context.storage().get("nothing", Object.class) + " " + all;
    }

    @Override
    @SuppressWarnings("NullAway")
    public void remind() {
      context.storage().setAlarm(null);
    }

    @Override
    public int count() {
      return ++calls;
    }

    @Override
    public void alarm(AlarmInfo info) {
      // never set
    }
  }

  @TempDir private Path directory;

  private ObjectRuntime open() {
    return Runtimes.open(
        directory, objects -> objects.namespace("boxes", Box.class, BoxObject::new));
  }

  @Test
  void storedStubIsAnIdAsText() {
    try (ObjectRuntime runtime = open()) {
      Box box = runtime.namespace("boxes", Box.class).getByName("a");
      assertThatThrownBy(box::keepStub)
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("$ is a stub or a namespace")
          .hasMessageContaining("idFromString")
          .hasMessageNotContaining("make it a record");
      assertThatThrownBy(box::keepId)
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("$[0] is an id")
          .hasMessageNotContaining("make it a record");
      assertThatThrownBy(() -> box.take(List.of(box)))
          .isInstanceOf(UncopyableValueException.class)
          .hasMessageContaining("argument 1: $[0] is a stub");
    }
  }

  @Test
  void nullIsAValueThatGetDoesNotHave() {
    try (ObjectRuntime runtime = open()) {
      assertThat(runtime.namespace("boxes", Box.class).getByName("a").storeNull())
          .isEqualTo("Optional.empty {nothing=null}");
    }
  }

  @Test
  void alarmWithoutATimeIsRefusedWithWhatRemovesIt() {
    try (ObjectRuntime runtime = open()) {
      assertThatThrownBy(runtime.namespace("boxes", Box.class).getByName("a")::remind)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("deleteAlarm()");
    }
  }

  @Test
  void instanceOfAnotherObjectIsRefused() {
    List<BoxObject> made = new ArrayList<>();
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            objects ->
                objects.namespace(
                    "boxes",
                    Box.class,
                    context -> {
                      if (made.isEmpty()) {
                        made.add(new BoxObject(context));
                      }
                      return made.getFirst();
                    }))) {
      assertThat(runtime.namespace("boxes", Box.class).getByName("a").count()).isEqualTo(1);
      assertThatThrownBy(runtime.namespace("boxes", Box.class).getByName("b")::count)
          .isInstanceOf(InstanceResetException.class)
          .hasMessageContaining("for two objects");
      assertThat(runtime.namespace("boxes", Box.class).getByName("a").count()).isEqualTo(2);
    }
  }

  /** Has no state. */
  interface Greeter {
    @Nullable String greet();
  }

  @Test
  void instanceWithoutStateMayBeShared() {
    try (ObjectRuntime runtime =
        Runtimes.open(
            directory,
            objects -> objects.namespace("greeters", Greeter.class, _ -> () -> "hello"))) {
      for (String name : List.of("a", "b")) {
        assertThat(runtime.namespace("greeters", Greeter.class).getByName(name).greet())
            .isEqualTo("hello");
      }
    }
  }
}
