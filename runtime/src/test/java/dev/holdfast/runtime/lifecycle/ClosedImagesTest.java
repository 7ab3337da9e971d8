package dev.holdfast.runtime.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InstanceResetException;
import dev.holdfast.runtime.Host;
import dev.holdfast.spi.LaterBatches;
import dev.holdfast.spi.ObjectStore;
import dev.holdfast.spi.PastImage;
import dev.holdfast.spi.PointInTimeRecovery;
import dev.holdfast.spi.StorageBackend;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Copies of earlier states that nobody gets. */
class ClosedImagesTest {

  private int made;
  private int closed;

  @Test
  void copiesAreClosedIfTheObjectIsResetWhileTheyAreMade() throws Exception {
    LaterBatches none = (_, _) -> {};
    PointInTimeRecovery recovery =
        instead(
            PointInTimeRecovery.class,
            Host.noRecovery(),
            (_, called, _) -> called.getName().equals("laterThan") ? none : null);
    try (Host host =
        Host.with().recovery(recovery).seen(journal -> journal, this::withImages).open()) {
      host.call("a", (self, _) -> ++self.count);
      onSecond =
          () ->
              CompletableFuture.runAsync(
                      () -> host.runtime.admin().reset(Host.THINGS, host.id("a")))
                  .join();

      assertThatThrownBy(
              () -> host.runtime.recovery(Host.THINGS, host.id("a")).diff("before", "after"))
          .isInstanceOf(InstanceResetException.class);

      assertThat(made).isEqualTo(2);
      assertThat(closed).isEqualTo(2);
    }
  }

  private Runnable onSecond = () -> {};

  private StorageBackend withImages(StorageBackend backend) {
    return instead(
        StorageBackend.class,
        backend,
        (_, called, arguments) ->
            called.getName().equals("store")
                ? instead(ObjectStore.class, called.invoke(backend, arguments), this::imageOrNull)
                : null);
  }

  private @Nullable Object imageOrNull(Object proxy, Method called, Object[] arguments) {
    return switch (called.getName()) {
      case "image" -> {
        if (++made == 2) {
          onSecond.run();
        }
        yield instead(
            PastImage.class,
            new Object(),
            (_, ofImage, _) -> ofImage.getName().equals("close") ? ++closed : null);
      }
      case "images" -> {
        ObjectStore store = (ObjectStore) proxy;
        yield new PastImage.Pair(
            store.image((LaterBatches) arguments[0]), store.image((LaterBatches) arguments[1]));
      }
      default -> null;
    };
  }

  /** {@return an object of the type that does what another one does where nothing is returned} */
  private static <T> T instead(Class<T> type, Object other, InvocationHandler first) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              Object answer = first.invoke(proxy, called, arguments);
              return answer != null || !called.getDeclaringClass().isInstance(other)
                  ? answer
                  : called.invoke(other, arguments);
            }));
  }
}
