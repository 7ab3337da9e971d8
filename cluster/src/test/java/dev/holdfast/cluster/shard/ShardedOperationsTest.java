package dev.holdfast.cluster.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.journal.shard.ShardMap;
import dev.holdfast.operator.OperatorException;
import dev.holdfast.operator.OperatorException.Reason;
import dev.holdfast.operator.OperatorRequest;
import dev.holdfast.runtime.EngineBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requests find their shards, and answers are merged; the shards are played. */
class ShardedOperationsTest {

  private static final int SHARDS = 3;

  private final List<Map<String, @Nullable Object>> answers = new ArrayList<>();
  private final Set<Integer> asked = new ConcurrentSkipListSet<>();

  private @Nullable String ask(
      ShardedOperations.InShard played, OperatorRequest request, Integer... missing) {
    answers.clear();
    asked.clear();
    EveryShard every =
        new EveryShard(
            SHARDS,
            /* mayLack= */ false,
            shard -> List.of(missing).contains(shard) ? "It is away." : null);
    return new ShardedOperations(
            every,
            (shard, each, to) -> {
              asked.add(shard);
              return played.perform(shard, each, to);
            })
        .perform(request, answers::add);
  }

  private static OperatorException failed(String why) {
    return new OperatorException(Reason.FAILED, why);
  }

  @Test
  void requestThatNamesAnObjectGoesToItsShardWhateverItsVerb() {
    for (String name : List.of("a", "b", "c", "d", "e")) {
      OperatorRequest request =
          OperatorRequest.of("not known yet").with("namespace", "notes").with("object", name);
      assertThat(ask((_, _, _) -> "done", request, 0, 1, 2)).isEqualTo("done");
      assertThat(asked).containsExactly(shardOf(name));
    }
    assertThat(ask((_, _, _) -> null, OperatorRequest.of("x").with("shard", 2L))).isNull();
    assertThat(asked).containsExactly(2);
    assertThat(ask((_, _, _) -> null, OperatorRequest.of("x").with("namespace", "notes"))).isNull();
    assertThat(asked).containsExactly(0, 1, 2);
  }

  private static int shardOf(String name) {
    return new ShardMap(SHARDS).shardOf(EngineBuilder.idOf("notes", name));
  }

  @Test
  void shardsThatGiveNothingAreNamedAndTheOthersAnswer() {
    CountDownLatch never = new CountDownLatch(1);
    String note =
        ask(
            (shard, _, to) -> {
              if (shard == 1) {
                throw failed("Its owner was lost.");
              }
              to.add(Map.of("x", shard));
              return "A note.";
            },
            OperatorRequest.of("x"),
            2);
    assertThat(answers).containsExactly(Map.of("shard", 0, "x", 0));
    assertThat(note)
        .isEqualTo("Shard 2: It is away. Shard 1: Its owner was lost. Shard 0: A note.");

    note =
        ask(
            (shard, _, _) -> {
              if (shard == 1) {
                await(never);
              }
              return null;
            },
            OperatorRequest.of("x").with("within", 5_000L));
    assertThat(note).startsWith("Shard 1: No answer within 5000 ms");
  }

  private static void await(CountDownLatch never) {
    try {
      never.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed("interrupted");
    }
  }

  @Test
  void refusalOfAllIsSaidOnceAndAWrongRequestIsThatOfTheAsker() {
    assertThatThrownBy(
            () ->
                ask(
                    (_, _, _) -> {
                      throw failed("There is no namespace x.");
                    },
                    OperatorRequest.of("x")))
        .isInstanceOfSatisfying(
            OperatorException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FAILED))
        .hasMessage("There is no namespace x.");
    assertThatThrownBy(
            () ->
                ask(
                    (shard, _, _) -> {
                      if (shard == 2) {
                        throw new OperatorException(Reason.WRONG_REQUEST, "wrong");
                      }
                      return null;
                    },
                    OperatorRequest.of("x")))
        .isInstanceOfSatisfying(
            OperatorException.class, e -> assertThat(e.reason()).isEqualTo(Reason.WRONG_REQUEST));
    assertThatThrownBy(() -> ask((_, _, _) -> null, OperatorRequest.of("x"), 0, 1, 2))
        .hasMessage("It is away.");
  }

  @Test
  void alarmsAreMergedByTimeAndSayWhereTheListGoesOn() {
    OperatorRequest request = OperatorRequest.of("alarms").with("limit", 4L);
    String note =
        ask(
            (shard, _, to) -> {
              for (int each = 0; each < 4; each++) {
                // With and without a fraction: as texts they have another order.
                String due = "2026-11-23T09:30:0" + each + (shard == 0 ? "Z" : "." + shard + "Z");
                to.add(Map.of("namespace", "n", "id", "i", "due", due, "cursor", shard + due));
              }
              return "There are more alarms; continue with --after 'of the shard'.";
            },
            request);
    assertThat(answers.stream().map(each -> each.get("shard")).toList())
        .containsExactly(0, 1, 2, 0);
    assertThat(note)
        .isEqualTo("There are more alarms; continue with --after '02026-11-23T09:30:01Z'.");
  }

  @Test
  void mergedListEndsWhereTheAnswerOfAShardWasCut() {
    for (String shardNote :
        List.of(
            "There are more alarms; continue with --after 'x'.",
            "2" + ShardedOperations.LEFT_OUT + ", as they do not fit.")) {
      String note =
          ask(
              (shard, _, to) -> {
                for (int each = 0; each < (shard == 1 ? 1 : 3); each++) {
                  String due = "2026-11-23T09:30:0" + each + "." + shard + "Z";
                  to.add(Map.of("namespace", "n", "id", "i", "due", due, "cursor", shard + due));
                }
                return shard == 1 ? shardNote : null;
              },
              OperatorRequest.of("alarms").with("limit", 100L));
      // Shard 1 has two others, perhaps before those of the other shards that are not here.
      assertThat(answers.stream().map(each -> each.get("shard")).toList()).containsExactly(0, 1);
      assertThat(note)
          .isEqualTo("There are more alarms; continue with --after '12026-11-23T09:30:00.1Z'.");
    }
  }

  @Test
  void busiestObjectsOfAllShardsComeFirst() {
    String note =
        ask(
            (shard, _, to) -> {
              for (int each = 0; each < 20; each++) {
                to.add(Map.of("value", (long) (shard + 3 * each)));
              }
              return null;
            },
            OperatorRequest.of("busiest"));
    assertThat(note).isNull();
    assertThat(answers).hasSize(20);
    assertThat(answers.getFirst()).containsEntry("value", 59L);
    assertThat(answers.getLast()).containsEntry("value", 40L);
  }
}
