package dev.holdfast.cluster.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The order of calls that wait for the objects of a shard to open. */
final class ArrivalOrderTest {

  private final ArrivalOrder<String> order = new ArrivalOrder<>();
  private final List<String> given = new ArrayList<>();

  private void add(CompletableFuture<String> future, String name) {
    order.whenDone(future, (result, failure) -> given.add(name + ": " + result));
  }

  @Test
  void endIsGivenInTheOrderOfArrival() {
    CompletableFuture<String> future = new CompletableFuture<>();
    add(future, "first");
    order.whenDone(
        future,
        (result, failure) -> {
          given.add("second: " + result);
          add(future, "came meanwhile");
        });
    add(future, "third");
    assertThat(given).isEmpty();

    future.complete("open");
    add(future, "late");

    assertThat(given)
        .containsExactly(
            "first: open", "second: open", "third: open", "came meanwhile: open", "late: open");
  }

  @Test
  void futuresAreApart() {
    CompletableFuture<String> one = new CompletableFuture<>();
    CompletableFuture<String> other = new CompletableFuture<>();
    add(one, "first");
    add(other, "second");

    other.completeExceptionally(new IllegalStateException());
    one.complete("open");

    assertThat(given).containsExactly("second: null", "first: open");
  }
}
