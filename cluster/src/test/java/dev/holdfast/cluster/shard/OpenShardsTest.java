package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeClosedException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application begins on a node runs in each shard that the node owns. */
final class OpenShardsTest {

  private final OpenShards shards = new OpenShards();
  private final List<String> seen = new ArrayList<>();

  private static ObjectRuntime runtime(String name) {
    return (ObjectRuntime)
        Proxy.newProxyInstance(
            ObjectRuntime.class.getClassLoader(),
            new Class<?>[] {ObjectRuntime.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> self == arguments[0];
                  case "hashCode" -> name.hashCode();
                  default -> name;
                });
  }

  private Runnable begin() {
    return shards.begin(
        runtime -> {
          seen.add("begin " + runtime);
          return () -> seen.add("end " + runtime);
        });
  }

  @Test
  void isBegunOnceInEachShardAndEndedWhereItRuns() {
    shards.opened(1, runtime("one"));
    Runnable end = begin();
    shards.opened(2, runtime("two"));
    shards.opened(3, runtime("three"));
    shards.closing(2);
    assertThat(seen).containsExactly("begin one", "begin two", "begin three");

    end.run();
    shards.opened(2, runtime("two again"));

    assertThat(seen.subList(3, seen.size())).containsExactly("end one", "end three");
    assertThat(shards.runtimes()).hasSize(3);
  }

  @Test
  void isEndedEverywhereIfItCannotBeBegunSomewhere() {
    shards.opened(1, runtime("one"));
    shards.opened(2, runtime("two"));

    assertThatThrownBy(
            () ->
                shards.begin(
                    runtime -> {
                      if (runtime.toString().equals("two")) {
                        throw new IllegalStateException("planted");
                      }
                      return () -> seen.add("end " + runtime);
                    }))
        .hasMessage("planted");

    assertThat(seen).containsExactly("end one");
  }

  @Test
  void shardThatIsLostMeanwhileIsNoFailure() {
    shards.opened(1, runtime("one"));

    Runnable end =
        shards.begin(
            _ -> {
              shards.closing(1);
              throw new RuntimeClosedException();
            });

    end.run();
    assertThat(shards.runtimes()).isEmpty();
  }

  /** As a handler of events, for which the end waits. */
  @Test
  @Timeout(60)
  void whatIsEndedMayUseTheShardsUntilThen() {
    shards.opened(1, runtime("one"));
    Runnable end =
        shards.begin(
            _ ->
                () -> {
                  Thread handler =
                      Thread.ofPlatform().start(() -> shards.opened(2, runtime("two")));
                  handler.join();
                });

    end.run();

    assertThat(shards.runtimes()).hasSize(2);
  }
}
