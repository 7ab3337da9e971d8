package dev.holdfast.cluster.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.errors.ConsumerException;
import dev.holdfast.errors.ConsumerException.Reason;
import dev.holdfast.event.ConsumerStart;
import dev.holdfast.event.ConsumerStatus;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A change of a consumer that a shard refuses has changed no other shard. */
final class ShardConsumersTest {

  /** What a shard knows of the consumer. */
  private enum Known {
    UNKNOWN,
    ENDED,
    RUNS
  }

  private final List<String> changed = new ArrayList<>();

  private ShardOperations shard(int number, Known known) {
    return (ShardOperations)
        Proxy.newProxyInstance(
            ShardOperations.class.getClassLoader(),
            new Class<?>[] {ShardOperations.class},
            (_, method, _) -> {
              boolean isRunning = known == Known.RUNS;
              switch (method.getName()) {
                case "consumers" -> {
                  return known == Known.UNKNOWN
                      ? List.of()
                      : List.of(new ConsumerStatus("t", "index", 1, 0, 0, 0, 0, isRunning, false));
                }
                case "resetConsumer" -> {
                  if (known == Known.UNKNOWN) {
                    throw new ConsumerException(Reason.UNKNOWN, "t", "index", "unknown");
                  }
                  changed.add("reset " + number);
                  return null;
                }
                case "removeConsumer" -> {
                  if (isRunning) {
                    throw new ConsumerException(Reason.RUNNING, "t", "index", "runs");
                  }
                  if (known == Known.ENDED) {
                    changed.add("removed " + number);
                  }
                  return known == Known.ENDED;
                }
                default -> throw new AssertionError(method);
              }
            });
  }

  private ShardConsumers in(Known... known) {
    return new ShardConsumers(
        IntStream.range(0, known.length).mapToObj(shard -> shard(shard, known[shard])).toList());
  }

  @Test
  void consumerIsResetInTheShardsThatKnowIt() {
    in(Known.ENDED, Known.UNKNOWN, Known.RUNS).reset("t", "index", ConsumerStart.NOW);
    assertThat(changed).containsExactly("reset 0", "reset 2");
  }

  @Test
  void consumerThatNoShardKnowsIsNotReset() {
    assertThatThrownBy(
            () -> in(Known.UNKNOWN, Known.UNKNOWN).reset("t", "index", ConsumerStart.NOW))
        .isInstanceOfSatisfying(
            ConsumerException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(Reason.UNKNOWN));
  }

  @Test
  void consumerThatRunsInAShardIsRemovedInNone() {
    ShardConsumers consumers = in(Known.ENDED, Known.UNKNOWN, Known.RUNS);
    assertThatThrownBy(() -> consumers.remove("t", "index"))
        .isInstanceOfSatisfying(
            ConsumerException.class,
            thrown -> assertThat(thrown.reason()).isEqualTo(Reason.RUNNING));
    assertThat(changed).isEmpty();
  }

  @Test
  void consumerIsRemovedWhereItIsKnown() {
    assertThat(in(Known.UNKNOWN, Known.ENDED).remove("t", "index")).isTrue();
    assertThat(changed).containsExactly("removed 1");
    assertThat(in(Known.UNKNOWN).remove("t", "index")).isFalse();
  }
}
