package dev.holdfast.runtime.observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.holdfast.InstanceResetException;
import dev.holdfast.health.HealthReason;
import dev.holdfast.health.HealthState;
import dev.holdfast.runtime.Host;
import dev.holdfast.runtime.Thing;
import dev.holdfast.schedules.DeterministicScheduler;
import dev.holdfast.statistics.ExecutionStatus;
import dev.holdfast.statistics.ExecutionStatus.Activity;
import dev.holdfast.statistics.ExecutionStatus.Kind;
import dev.holdfast.testkit.InMemoryJournal;
import dev.holdfast.testkit.InMemoryJournal.Durability;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What runs is seen from outside: how long, and what it waits for. */
final class ExecutionsTest {

  private final DeterministicScheduler scheduler = new DeterministicScheduler(1);
  private final InMemoryJournal journal = new InMemoryJournal(Durability.MANUAL);
  private final Host host = Host.with().scheduler(scheduler).journal(journal).open();
  private final CountDownLatch stuck = new CountDownLatch(1);

  private void start(String name, Thing.Script<?> script) {
    scheduler.start("caller of " + name, () -> host.call(name, script));
    scheduler.runUntilIdle();
  }

  private void close() {
    stuck.countDown();
    journal.makeAllDurable();
    scheduler.run(host::close);
  }

  private List<ExecutionStatus> executions() {
    return executions(Duration.ZERO, /* withStacks= */ false);
  }

  /** By the names of their objects: those of one age are in no order. */
  private List<ExecutionStatus> executions(Duration age, boolean withStacks) {
    return host.runtime.admin().executions(age, withStacks).stream()
        .sorted(Comparator.comparing(each -> each.name().orElseThrow()))
        .toList();
  }

  @Test
  void callThatDoesNotEndIsSeenWithWhatWaitsForIt() {
    start("stuck", (_, _) -> block());
    start("waits", (_, _) -> host.call("stuck", (_, _) -> 0));
    assertThat(executions()).extracting(ExecutionStatus::age).containsOnly(Duration.ZERO);
    scheduler.advance(Duration.ofMinutes(1));

    List<ExecutionStatus> all = executions(Duration.ofSeconds(50), /* withStacks= */ true);
    assertThat(all).hasSize(2);
    ExecutionStatus holder = all.getFirst();
    assertThat(holder.namespace()).isEqualTo(Host.THINGS);
    assertThat(holder.id()).isEqualTo(host.id("stuck").toString());
    assertThat(holder.kind()).isEqualTo(Kind.CALL);
    assertThat(holder.method()).isEqualTo("run");
    assertThat(holder.activity()).isEqualTo(Activity.RUNS);
    assertThat(holder.queued()).isEqualTo(1);
    assertThat(holder.age()).isBetween(Duration.ofSeconds(50), Duration.ofMinutes(1));
    assertThat(holder.stack()).anyMatch(frame -> frame.getMethodName().equals("block"));
    ExecutionStatus waiter = all.getLast();
    assertThat(waiter.activity()).isEqualTo(Activity.WAITS_FOR_CALL);
    assertThat(waiter.called()).contains(Host.THINGS + "/stuck");
    assertThat(executions(Duration.ofMinutes(2), /* withStacks= */ false)).isEmpty();

    stuck.countDown();
    scheduler.runUntilIdle();
    assertThat(executions()).isEmpty();
    close();
  }

  private int block() throws InterruptedException {
    stuck.await();
    return 0;
  }

  @Test
  void eachWaitHasItsName() {
    CompletableFuture<Integer> stage = new CompletableFuture<>();
    start("a stage", (_, context) -> context.await(stage));
    start("b outside", (_, context) -> context.call(this::block));
    start(
        "c disk",
        (_, context) -> {
          context.storage().put("key", 1L);
          context.storage().sync();
          return 0;
        });
    start(
        "d task",
        (_, context) -> {
          var _ = context.async(() -> context.await(stage));
          return 0;
        });

    assertThat(executions())
        .extracting(ExecutionStatus::kind, ExecutionStatus::activity)
        .containsExactly(
            tuple(Kind.CALL, Activity.WAITS_FOR_STAGE),
            tuple(Kind.CALL, Activity.WORKS_OUTSIDE),
            tuple(Kind.CALL, Activity.WAITS_FOR_DISK),
            tuple(Kind.TASK, Activity.WAITS_FOR_STAGE));
    stage.complete(0);
    close();
  }

  @Test
  void codeThatRunsOnAfterAResetIsSeen() {
    scheduler.start(
        "caller that is reset",
        () ->
            assertThatThrownBy(() -> host.call("stuck", (_, _) -> block()))
                .isInstanceOf(InstanceResetException.class));
    scheduler.runUntilIdle();
    assertThat(host.runtime.admin().reset(Host.THINGS, host.id("stuck"))).isTrue();
    start("stuck", (_, _) -> 0);

    assertThat(executions())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.activity()).isEqualTo(Activity.RUNS_AFTER_RESET);
              assertThat(each.method()).isEqualTo("run");
            });
    stuck.countDown();
    scheduler.runUntilIdle();
    assertThat(executions()).isEmpty();
    close();
  }

  @Test
  void healthNamesWhatRunsTooLong() {
    CompletableFuture<Integer> never = new CompletableFuture<>();
    start(
        "task",
        (_, context) -> {
          var _ = context.async(() -> context.await(never));
          return 0;
        });
    scheduler.advance(Duration.ofMinutes(10));
    assertThat(host.runtime.health().state()).as("a task that waits").isEqualTo(HealthState.UP);
    start("stuck", (_, _) -> block());
    scheduler.advance(Duration.ofMinutes(4));
    assertThat(host.runtime.health().state()).isEqualTo(HealthState.UP);
    scheduler.advance(Duration.ofMinutes(2));

    assertThat(host.runtime.health().state()).isEqualTo(HealthState.DEGRADED);
    assertThat(host.runtime.health().reasons())
        .singleElement()
        .satisfies(
            reason -> {
              assertThat(reason.code()).isEqualTo(HealthReason.EXECUTION_LONG);
              assertThat(reason.text())
                  .startsWith("1 execution has run for more than 300 s.")
                  .contains("call run of " + Host.THINGS + "/")
                  .contains("\"stuck\", which runs");
            });
    stuck.countDown();
    scheduler.advance(Duration.ofSeconds(10));
    assertThat(host.runtime.health().state()).isEqualTo(HealthState.UP);
    never.complete(0);
    close();
  }

  @Test
  void negativeAgeIsRefused() {
    assertThatThrownBy(() -> executions(Duration.ofMillis(-1), /* withStacks= */ false))
        .isInstanceOf(IllegalArgumentException.class);
    close();
  }
}
